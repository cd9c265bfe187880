/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// The end of the worker's script, after the WebAssembly, whose global `fastmatch` runs the
// command: fastmatch.run(args, files, stdin) becomes { status, out, err }.

self.onmessage = async ({ data }) => {
  const results = [];
  for (const { args, files, stdin } of data.runs)
    try {
      results.push(await self.fastmatch.run(args, files, stdin || ""));
    } catch (error) {
      results.push({ status: -1, out: "", err: "fastmatch: " + error });
    }
  self.postMessage({ id: data.id, results });
};

// The first run compiles the WebAssembly.
self.fastmatch.run(["--version"], {}, "").then(
  ({ out }) => self.postMessage({ ready: true, version: out.trim() }),
  (error) => self.postMessage({ broken: String(error) }));
