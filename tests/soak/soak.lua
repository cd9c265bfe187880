-- Copyright (c) 2026 The fastmatch authors
-- SPDX-License-Identifier: BSD-2-Clause
--
-- For wrk: asks what the file FM_REQUESTS has (the length of a request on a
-- line, then its bytes), FM_TOGETHER of them in one go, waits FM_DELAY
-- milliseconds, and counts the answers by status.  Prints one line of JSON.

local threads = {}

function setup(thread)
	thread:set("number", #threads)
	table.insert(threads, thread)
end

function init()
	local file = assert(io.open(os.getenv("FM_REQUESTS"), "rb"))
	local together = tonumber(os.getenv("FM_TOGETHER"))
	local batch = {}
	requests, asked, counts = {}, 0, {}
	wait = tonumber(os.getenv("FM_DELAY"))
	for length in file:lines() do
		table.insert(batch, file:read(tonumber(length)))
		if #batch == together then
			table.insert(requests, table.concat(batch))
			batch = {}
		end
	end
	file:close()
	-- wrk asks for one before all others, and takes it apart: the first
	-- must be whole.  The second thread is half way round from it.
	if number then
		asked = math.floor(number * #requests / 2)
	end
end

function request()
	asked = asked + 1
	return requests[(asked - 1) % #requests + 1]
end

function delay()
	return wait
end

function response(status)
	counts[status] = (counts[status] or 0) + 1
end

function done(summary)
	local errors = summary.errors
	local totals, said = {}, ""
	for _, thread in ipairs(threads) do
		for status, count in pairs(thread:get("counts")) do
			totals[status] = (totals[status] or 0) + count
		end
	end
	for status, count in pairs(totals) do
		said = said .. string.format('%s"%d": %d',
		    said == "" and "" or ", ", status, count)
	end
	print(string.format('{"requests": %d, "connect": %d, "read": %d,'
	    .. ' "write": %d, "timeout": %d, "statuses": {%s}}',
	    summary.requests, errors.connect, errors.read, errors.write,
	    errors.timeout, said))
end
