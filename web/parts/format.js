/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// Numbers and times as people read them.

export const NONE = "\u2013";

// 1234567 is "1,234,567".
export const number = (n) => n === null || n === undefined ? NONE
  : String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");

// A number a second: three digits are enough.
export const rate = (n) => {
  if (n === null || n === undefined) return NONE;
  if (n === 0) return "0";
  if (n < 0.01) return "<0.01";
  if (n < 1) return n.toFixed(2);
  return n < 99.95 ? n.toFixed(1) : number(n);
};

// A share of 1. Neither nearly all is "100 %", nor little "0 %".
export const percent = (share) => {
  if (share === null || share === undefined) return NONE;
  if (share === 0 || share === 1) return share * 100 + " %";
  if (share < 0.001) return "<0.1 %";
  if (share > 0.999) return ">99.9 %";
  return (share * 100).toFixed(1) + " %";
};

const two = (n) => String(n).padStart(2, "0");

// Seconds since 1970 as the clock of the reader has it; the day if it isn't that of now.
export const time = (seconds, now) => {
  if (!seconds) return NONE;
  const at = new Date(seconds * 1000), today = new Date(now * 1000);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two)
    .join(":");
  return at.toDateString() === today.toDateString() ? clock
    : at.getFullYear() + "-" + two(at.getMonth() + 1) + "-" +
      two(at.getDate()) + " " + clock;
};

// A length of time, with its two largest units.
export const span = (seconds) => {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min";
  if (s < 86400) return Math.floor(s / 3600) + " h " +
    Math.floor(s % 3600 / 60) + " min";
  return Math.floor(s / 86400) + " d " + Math.floor(s % 86400 / 3600) + " h";
};

export const plural = (n, one, many) => number(n) + " " +
  (n === 1 ? one : many || one + "s");
