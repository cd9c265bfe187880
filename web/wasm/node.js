/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command fastmatch in node, with the files of the machine.  Before this,
 * web/wasm/pack.py puts what emscripten has made (`program`).
 *
 * The command looks for lists beside itself, if it is in a folder src/cli: so
 * it is told to be in that of the package, which has a folder `lists`.
 */

program({
	thisProgram: "fastmatch",
	noInitialRun: true,
	wasmBinary: require("fs").readFileSync(__dirname + "/fastmatch.wasm"),
	quit: (status, error) => { throw error; },
	preRun: [(it) => {
		const readlink = it.FS.readlink;

		it.FS.readlink = (path) => path === "/proc/self/exe" ?
		    __dirname + "/src/cli/fastmatch" : readlink(path);
		Object.assign(it.ENV, process.env);
	}],
}).then((it) => {
	/* Emscripten takes each of them for a terminal. */
	for (const fd of [0, 1, 2])
		it.FS.streams[fd].tty = require("tty").isatty(fd);
	try {
		process.exitCode = it.callMain(process.argv.slice(2));
	} catch (error) {
		if (error.name !== "ExitStatus")
			throw error;
		process.exitCode = error.status;
	}
});
