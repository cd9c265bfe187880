#!/usr/bin/env node
/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Does the command as WebAssembly print, byte for byte, what the native command
 * prints?
 *
 *	tests/wasm/same.js NATIVE FASTMATCH.js
 *
 * NATIVE is a command that was built --without-varnish, too: so both have the
 * same builtin.vcl, and no engine.  All cases, golden files and examples are
 * checked, formatted, tested, explained or imported by both; no command line
 * writes a file.  Lines begin with PASS or FAIL.
 */
"use strict";

const child = require("child_process");
const crypto = require("crypto").webcrypto;
const fs = require("fs");
const os = require("os");
const path = require("path");
const vm = require("vm");

const top = path.join(__dirname, "..", "..");
const native = path.resolve(process.argv[2]);
const { run, runBytes } = require(path.resolve(process.argv[3]));
const home = "/work";			/* of fastmatch.js */
const lists = "/usr/share/varnish-fastmatch/lists";

/* Returns the paths of all files below a folder. */
function below(folder) {
	return fs.readdirSync(folder, { withFileTypes: true }).flatMap(
	    (entry) => entry.isDirectory() ?
	    below(path.join(folder, entry.name)) :
	    [path.join(folder, entry.name)]).sort();
}

/* The command lines for a file, by the end of its name. */
const commands = [
	[".case", (name) => [["test", name], ["test", "--json", name],
	    ["test", "--coverage", name]]],
	[".test", (name) => [["test", name],
	    ["test", "--coverage", "--json", name],
	    ["test", "--min-coverage", "90", "--junit", "-", name]]],
	[".rules", (name) => [["check", name], ["check", "--json", name],
	    ["check", "--cost", "--strict", name],
	    ["check", "--format=lsp", name], ["check", "--format=github", name],
	    ["fmt", "--check", name], ["fmt", "-"],
	    ["explain", name, "http://www.example.com/a?b=1"],
	    ["explain", "--json", "-H", "Cookie: a=1", name,
		"https://example.com/cart/1"],
	    ["explain", "--status", "404", "--color", "always", name,
		"http://shop.example.com/x.png"]]],
	[".vcl", (name) => [["import", name],
	    ["import", "--well-formed", name]]],
];

const others = [["--version"], ["--help"], ["help", "check"],
    ["help", "import"], ["lists"], ["lists", "--json"],
    ["lists", "--acl", "googlebot"], ["check", "no.rules"], ["check"],
    ["nothing"], ["explain", "-"], ["top"], ["why", "/"], ["check", "-"]];

/*
 * Makes one text of what a run gives: paths and times may differ, and no other
 * byte.
 */
function result({ status, out, err }, folder) {
	const clean = (bytes) => {
		let text = Buffer.from(bytes).toString("latin1");

		for (const [from, to] of [[folder, home],
		    [path.join(top, "lists"), lists]])
			text = text.split(from).join(to);
		return text.replace(/\d+\.\d+ m?s\b/g, "TIME");
	};

	return "status " + status + "\n" + clean(out) + "\n---\n" + clean(err);
}

function runNative(args, folder, stdin) {
	const it = child.spawnSync(native, args, { cwd: folder, input: stdin,
	    env: { PATH: process.env.PATH }, maxBuffer: 1 << 28 });

	/* A usage error leaves the input unread. */
	if (it.error && it.error.code !== "EPIPE")
		throw it.error;
	return { status: it.status, out: it.stdout, err: it.stderr };
}

/* Copies a folder for the native command, to which lists are in the tree. */
function scratch(files) {
	const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(),
	    "fastmatch-same-")));

	for (const [name, bytes] of Object.entries(files)) {
		const to = path.join(folder, name);

		fs.mkdirSync(path.dirname(to), { recursive: true });
		fs.writeFileSync(to, bytes.includes(lists) ?
		    bytes.toString().replaceAll(lists,
			path.join(top, "lists")) : bytes);
	}
	return folder;
}

let failed = 0, same = 0;

async function compare(folder, files, args, stdin) {
	const one = result(runNative(args, folder, stdin), folder);
	const two = result(await runBytes(args, files, stdin), folder);

	if (one === two) {
		same++;
		return true;
	}
	console.log("FAIL fastmatch " + args.join(" ") + ": native says\n" +
	    one + "\nand the other\n" + two);
	failed++;
	return false;
}

/* Compares for the files of a folder that is copied whole. */
async function compareAll(name) {
	const root = path.join(top, name);
	const files = {};
	let good = true;

	for (const file of below(root))
		files[path.relative(root, file)] = fs.readFileSync(file);

	const folder = scratch(files);

	/* A golden file names it. */
	files["/etc/passwd"] = fs.readFileSync("/etc/passwd");
	for (const file of Object.keys(files)) {
		const found = commands.find(([end]) => file.endsWith(end));

		if (found === undefined)
			continue;
		for (const args of found[1](file))
			good = await compare(folder, files, args,
			    args.includes("-") ? files[file] : "") && good;
	}
	fs.rmSync(folder, { recursive: true });
	if (good)
		console.log("PASS " + name);
}

/* Loads the script with everything in it, as a page or a worker does. */
function inline(globals) {
	const file = path.join(path.dirname(path.resolve(process.argv[3])),
	    "fastmatch.inline.js");
	const context = vm.createContext({ atob, TextDecoder, TextEncoder, URL,
	    WebAssembly, performance, console, crypto, setTimeout, ...globals });

	context.self = context;
	vm.runInContext(fs.readFileSync(file, "utf8"), context);
	return context.fastmatch;
}

async function tell(what, good) {
	console.log((good ? "PASS " : "FAIL ") + what);
	failed += good ? 0 : 1;
}

async function interfaces() {
	const script = { src: "file:///x/fastmatch.inline.js" };
	const text = "host a { pas; }\n";
	const wanted = JSON.stringify(await run(["check", "a.rules"],
	    { "a.rules": text }));

	await tell("a run has its own files", wanted.includes("'pass'") &&
	    (await run(["check", "a.rules"])).out.includes("can't read"));
	for (const [name, globals] of [
	    ["page", { window: {}, document: { currentScript: script } }],
	    ["worker", { importScripts() {}, location: { href: script.src } }]])
		await tell("the script runs in a " + name, wanted ===
		    JSON.stringify(await inline(globals).run(
			["check", "a.rules"], { "a.rules": text })));
}

async function main() {
	await interfaces();
	const empty = scratch({});

	for (const args of others)
		await compare(empty, {}, args, args.includes("-") ?
		    "host a { pass; }\n" : "");
	fs.rmSync(empty, { recursive: true });
	await compareAll("tests/cases");
	await compareAll("tests/golden");
	await compareAll("tests/import");
	for (const name of fs.readdirSync(path.join(top, "examples")))
		if (fs.statSync(path.join(top, "examples", name)).isDirectory())
			await compareAll(path.join("examples", name));
	console.log((failed === 0 ? "PASS " : "FAIL ") + same +
	    " command lines are the same, " + failed + " differ");
	process.exitCode = failed === 0 ? 0 : 1;
}

main();
