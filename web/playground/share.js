/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// What is on the page, as the fragment of a URL: JSON, compressed, in the letters of
// base64 for URLs. A browser does not send fragments to the server.

export const MOST_SHARED = 8192;       // bytes of a fragment
const MOST_TEXT = 1 << 20;      // bytes that one may become
const BEGIN = "1.";             // the version of the form

const through = async (bytes, stream, most) => {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  // What is wrong with the bytes is told by read(), too.
  for (const end of [written, writer.closed]) end.catch(() => {});
  const reader = stream.readable.getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError("too long");
    }
    chunks.push(value);
  }
  await written;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
};

const base64 = (bytes) => {
  let text = "";
  for (let n = 0; n < bytes.length; n += 8192)
    text += String.fromCharCode(...bytes.subarray(n, n + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_")
    .replace(/=+$/, "");
};

const unbase64 = (text) => Uint8Array.from(
  atob(text.replaceAll("-", "+").replaceAll("_", "/")),
  (letter) => letter.charCodeAt(0));

// Returns the fragment, without the #. It may be longer than MOST_SHARED.
export const pack = async (state) => BEGIN + base64(await through(
  new TextEncoder().encode(JSON.stringify(state)),
  new CompressionStream("deflate-raw"), MOST_TEXT));

// Returns what pack() was given, or null: the fragment is broken, or none of ours.
export const unpack = async (fragment) => {
  if (!fragment.startsWith(BEGIN) || fragment.length > MOST_SHARED) return null;
  try {
    const bytes = await through(unbase64(fragment.slice(BEGIN.length)),
      new DecompressionStream("deflate-raw"), MOST_TEXT);
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return state !== null && typeof state === "object" ? state : null;
  } catch {
    return null;
  }
};
