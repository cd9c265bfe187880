-- Copyright (c) 2026 The fastmatch authors
-- SPDX-License-Identifier: BSD-2-Clause
--
-- For wrk: asks what FM_REQUESTS has ("host url agent" a line) in turn, and
-- looks at each answer.  Prints its findings as one line of JSON.

local threads = {}

function setup(thread)
	table.insert(threads, thread)
end

function init()
	answers, failures, unseen = 0, 0, 0
	example, mixed, known = "", "", {}
	asked, requests = 0, {}
	for line in os.getenv("FM_REQUESTS"):gmatch("[^\n]+") do
		local host, url, agent = line:match("^(%S+) (%S+) (.+)$")
		table.insert(requests, wrk.format("GET", url,
		    { Host = host, ["User-Agent"] = agent }))
	end
end

function request()
	asked = asked + 1
	return requests[asked % #requests + 1]
end

-- All words of X-Seen are the same one; of what is not, each kind once.
function response(status, headers)
	local seen, first = headers["X-Seen"], nil
	answers = answers + 1
	if status >= 400 then
		failures = failures + 1
		example = "status " .. status
	end
	for word in (seen or ""):gmatch("%S+") do
		first = first or word
		if word ~= first then
			if not known[seen] and #mixed < 4000 then
				known[seen] = true
				mixed = mixed .. '"' .. seen .. '", '
			end
			return
		end
	end
	if first == nil then
		unseen = unseen + 1
		if status < 400 then
			example = "no X-Seen, status " .. status
		end
	end
end

local function sum(name)
	local total = 0
	for _, thread in ipairs(threads) do
		total = total + thread:get(name)
	end
	return total
end

function done(summary, latency)
	local errors = summary.errors
	local said, mixes = "", ""
	for _, thread in ipairs(threads) do
		if thread:get("example") ~= "" then
			said = thread:get("example")
		end
		mixes = mixes .. thread:get("mixed")
	end
	print(string.format('{"requests": %d, "seconds": %.3f, "connect": %d,'
	    .. ' "read": %d, "write": %d, "timeout": %d, "status": %d,'
	    .. ' "answers": %d, "failures": %d, "mixed": [%s], "unseen": %d,'
	    .. ' "p99": %.0f, "max": %.0f, "example": "%s"}',
	    summary.requests, summary.duration / 1e6, errors.connect,
	    errors.read, errors.write, errors.timeout, errors.status,
	    sum("answers"), sum("failures"), mixes:gsub(", $", ""),
	    sum("unseen"),
	    latency:percentile(99), latency.max,
	    said:gsub('[\\"%c]', "?")))
end
