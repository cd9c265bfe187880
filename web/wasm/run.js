/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the command fastmatch where there is no system: in a page, in a worker
 * and in node.
 *
 *	fastmatch.run(["check", "site.rules"], { "site.rules": text })
 *	    .then(({ status, out, err }) => ...)
 *
 * Each run has a memory and a file system of its own, with the given files in
 * its working folder, and the lists where the command looks for them.  The
 * program is compiled once.
 *
 * tools/wasm.sh puts before this what emscripten has made (`program`), the
 * lists (`lists`, and their folder, `listsFolder`), and in fastmatch.inline.js
 * the WebAssembly in base64 (`inline`).
 */

const home = "/work";

/* The folder of this script, for the .wasm beside it. */
const here = typeof document === "object" && document.currentScript ?
    document.currentScript.src : typeof location === "object" ?
    location.href : "";

function bytesOfBase64(text) {
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

function wasmBytes() {
	if (inline !== "")
		return Promise.resolve(bytesOfBase64(inline));
	if (typeof process === "object" && typeof require === "function")
		return Promise.resolve(
		    require("fs").readFileSync(__dirname + "/fastmatch.wasm"));
	return fetch(new URL("fastmatch.wasm", here)).then((response) => {
		if (!response.ok)
			throw new Error("fastmatch.wasm: " + response.status);
		return response.arrayBuffer();
	});
}

let compiled = null;

function compile() {
	if (compiled === null)
		compiled = wasmBytes().then((bytes) =>
		    WebAssembly.compile(bytes));
	return compiled;
}

/* Returns a function that takes a byte at a time, and one that returns all. */
function collect() {
	let bytes = new Uint8Array(4096), n = 0;

	return {
		put(byte) {
			if (byte === null)
				return;
			if (n === bytes.length) {
				const more = new Uint8Array(2 * n);

				more.set(bytes);
				bytes = more;
			}
			bytes[n++] = byte;
		},
		all: () => bytes.subarray(0, n),
	};
}

function put(FS, path, text) {
	FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
	FS.writeFile(path, text);
}

/* Takes files by their paths: text or bytes.  Resolves to bytes. */
function runBytes(args, files, stdin) {
	const out = collect(), err = collect();
	const input = typeof stdin === "string" ?
	    new TextEncoder().encode(stdin) : stdin || new Uint8Array(0);
	let read = 0;
	const options = {
		thisProgram: "fastmatch",
		noInitialRun: true,
		/* In node it would end the process. */
		quit: (status, error) => { throw error; },
		stdin: () => read < input.length ? input[read++] : null,
		stdout: out.put,
		stderr: err.put,
		preRun: [(it) => {
			for (const name of Object.keys(lists))
				put(it.FS, listsFolder + "/" + name,
				    lists[name]);
			it.FS.mkdirTree(home);
			it.FS.chdir(home);
			for (const name of Object.keys(files || {}))
				put(it.FS, name.startsWith("/") ? name :
				    home + "/" + name, files[name]);
		}],
	};

	return compile().then((module) => {
		options.instantiateWasm = (imports, done) => {
			WebAssembly.instantiate(module, imports).then(
			    (instance) => done(instance, module));
			return {};
		};
		return program(options);
	}).then((it) => {
		let status = 0;

		try {
			status = it.callMain(args);
		} catch (error) {
			if (error.name !== "ExitStatus")
				throw error;
			status = error.status;
		}
		return { status, out: out.all(), err: err.all() };
	});
}

function run(args, files, stdin) {
	return runBytes(args, files, stdin).then(({ status, out, err }) => ({
		status,
		out: new TextDecoder().decode(out),
		err: new TextDecoder().decode(err),
	}));
}

const fastmatch = { run, runBytes };

if (typeof module === "object" && module.exports)
	module.exports = fastmatch;
globalThis.fastmatch = fastmatch;
