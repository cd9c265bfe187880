# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""A headless Chromium, told what to do by the DevTools protocol.

    with Browser() as browser:
        browser.open("http://127.0.0.1:6081/")
        browser.evaluate("document.title")
        browser.shot("page.png")

The protocol has JSON messages over a WebSocket; this file has only the parts of both
that the tests need.
"""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import urllib.request

from node import Failed, end, find, until


class Socket:
    """A WebSocket: whole text messages, this end's masked."""

    def __init__(self, url, seconds=30):
        host, path = url.split("/", 3)[2:]
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), seconds)
        self.file = self.socket.makefile("rb")
        self.socket.sendall((
            "GET /%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: %s\r\n\r\n" % (path, host, base64.b64encode(
                os.urandom(16)).decode())).encode())
        if b" 101 " not in self.file.readline():
            raise Failed("chromium: no WebSocket")
        while self.file.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = struct.pack("!BBH", 0x81, 0x80 | 126, len(data)) \
            if len(data) < 1 << 16 else \
            struct.pack("!BBQ", 0x81, 0x80 | 127, len(data))
        self.socket.sendall(size + mask + bytes(
            b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, size = self.file.read(2)
            if size == 126:
                size, = struct.unpack("!H", self.file.read(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.file.read(8))
            data = self.file.read(size)
            if first & 0x0f == 8:
                raise Failed("chromium has closed the connection")
            if first & 0x0f <= 1:
                text += data
                if first & 0x80:
                    return text.decode()

    def close(self):
        self.file.close()
        self.socket.close()


class Browser:
    """One tab.  `troubles` has the faults of the page: exceptions, errors in the
    console, resources that its policy has refused."""

    def __init__(self):
        self.troubles = []
        self.asked = 0
        self.folder = tempfile.mkdtemp(prefix="fmbrowser.")
        self.process = self.socket = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.socket is not None:
            self.socket.close()
        if self.process is not None:
            end(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.process = subprocess.Popen(
            # For root there is no sandbox; the only page is our own.
            [find("chromium", "chromium-browser"), "--headless=new",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--no-first-run",
             "--remote-debugging-port=0", "--user-data-dir=" + self.folder,
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.folder))
        self.socket = Socket(until("chromium answers", self.find_tab, 60))
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def find_tab(self):
        if self.process.poll() is not None:
            raise Failed("chromium ends with %d" % self.process.returncode)
        try:
            with open(os.path.join(self.folder, "DevToolsActivePort"),
                      encoding="ascii") as file:
                port = int(file.readline())
            with urllib.request.urlopen(
                    "http://127.0.0.1:%d/json" % port) as answer:
                tabs = json.load(answer)
        except (OSError, ValueError):
            return None
        return next((tab["webSocketDebuggerUrl"] for tab in tabs
                     if tab["type"] == "page"), None)

    # The protocol

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.troubles.append(json.dumps(what["exceptionDetails"]))
        elif method == "Log.entryAdded":
            if what["entry"]["level"] in ("error", "warning"):
                self.troubles.append(json.dumps(what["entry"]))
        elif method == "Runtime.consoleAPICalled":
            self.troubles.append(json.dumps(what))

    def call(self, method, **params):
        self.asked += 1
        self.socket.send(json.dumps(dict(id=self.asked, method=method,
                                         params=params)))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.asked:
                break
            self.note(message)
        if "error" in message:
            raise Failed("%s: %s" % (method, message["error"]))
        return message["result"]

    # The methods below drive the page

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failed("%s: %s" % (script, result["exceptionDetails"]))
        return result["result"].get("value")

    def until(self, what, script, seconds=20):
        return until(what, lambda: self.evaluate(script), seconds)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("loaded: " + url, "document.readyState === 'complete' &&"
                   " location.href !== 'about:blank'")

    def type(self, selector, text):
        """Types a text into a field."""
        self.evaluate("document.querySelector(%s).focus()"
                      % json.dumps(selector))
        self.call("Input.insertText", text=text)

    def key(self, name, number, text=""):
        """Presses a key, such as "Tab", 9 in Windows."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=number, text=text)

    def press_enter(self):
        self.key("Enter", 13, "\r")

    def scheme(self, name):
        """Sets the colour scheme: dark or light."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": name}])

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=scale, mobile=False)

    def without_script(self, off=True):
        self.call("Emulation.setScriptExecutionDisabled", value=off)

    def shot(self, path, whole=True):
        image = self.call("Page.captureScreenshot", format="png",
                          captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))


class Shots:
    """Takes pictures into a folder."""

    def __init__(self, folder, browser):
        self.folder = folder
        self.browser = browser

    def take(self, name, scheme="light", width=1200, height=900):
        self.browser.scheme(scheme)
        self.browser.size(width, height)
        path = os.path.join(self.folder, name + ".png")
        self.browser.shot(path)
        # Those that are kept are small, if there is a program for that.
        if shutil.which("pngquant"):
            subprocess.run(["pngquant", "--speed", "1", "--force", "--output",
                            path, "16", path], check=True)
