-- Copyright (c) 2026 The fastmatch authors
-- SPDX-License-Identifier: BSD-2-Clause
--
-- For wrk, with one thread: sends a list of requests to some variants.
--
-- BENCH_LIST	file of requests, one a line: URL, Host, then the other headers,
--		with tabs between
-- BENCH_HOSTS	for variants that are sent other Hosts: NAME=FILE, blanks
--		between; the file has a Host a line
-- BENCH_NAMES	the variants, as X-Variant has them, blanks between
-- BENCH_ORDERS	orders of the variants as numbers from 1, blanks between, and
--		a comma between orders: they take turns, one for each request
-- BENCH_ONCE	1: end after the list; else it starts again
--
-- All variants have a request before the next request is sent to any.

local names, orders, urls, hosts, rests = {}, {}, {}, {}, {}
local own = {}
local once = os.getenv("BENCH_ONCE") == "1"
local item, place, order = 1, 0, nil
local verified = false

function init()
	for name in os.getenv("BENCH_NAMES"):gmatch("%S+") do
		names[#names + 1] = name
	end
	for text in os.getenv("BENCH_ORDERS"):gmatch("[^,]+") do
		local numbers = {}
		for number in text:gmatch("%d+") do
			numbers[#numbers + 1] = tonumber(number)
		end
		orders[#orders + 1] = numbers
	end
	for line in io.lines(os.getenv("BENCH_LIST")) do
		local url, host, rest = line:match("^([^\t]+)\t([^\t]+)\t(.+)$")
		urls[#urls + 1] = "GET " .. url .. " HTTP/1.1\r\nHost: "
		hosts[#hosts + 1] = host
		rests[#rests + 1] = "\r\n" .. rest:gsub("\t", "\r\n") ..
		    "\r\nX-Variant: "
	end
	for name, file in (os.getenv("BENCH_HOSTS") or ""):gmatch(
	    "(%S+)=(%S+)") do
		own[name] = {}
		for host in io.lines(file) do
			table.insert(own[name], host)
		end
	end
	order = orders[1]
end

local function text(name)
	return urls[item] .. (own[name] or hosts)[item] .. rests[item] ..
	    name .. "\r\n\r\n"
end

function request()
	-- wrk asks once before it begins, to see whether this can be parsed.
	if not verified then
		verified = true
		return text(names[1])
	end
	place = place + 1
	if place > #order then
		place = 1
		item = item + 1
		if item > #urls and not once then
			item = 1
		end
		order = orders[(item - 1) % #orders + 1]
	end
	if item > #urls then
		item = #urls + 1
		wrk.thread:stop()
		return "GET / HTTP/1.1\r\nHost: end\r\nX-Variant: end\r\n\r\n"
	end
	return text(names[order[place]])
end

function done(summary)
	local errors = summary.errors
	print(string.format('{"requests": %d, "seconds": %.6f, "connect": %d,'
	    .. ' "read": %d, "write": %d, "timeout": %d, "status": %d}',
	    summary.requests, summary.duration / 1e6, errors.connect,
	    errors.read, errors.write, errors.timeout, errors.status))
end
