-- Copyright (c) 2026 The fastmatch authors
-- SPDX-License-Identifier: BSD-2-Clause
--
-- Neovim as a client of `fastmatch lsp`: it edits $SITE, which includes $WIKI,
-- and each thing that it asks for is a line, PASS or FAIL.  It is written for
-- 0.7 and later.

local patience = 60000  -- milliseconds, for what comes at once

local function say(what, good, ...)
  io.stdout:write((good and 'PASS' or 'FAIL') .. ' neovim: ' .. what)
  if not good then
    for _, value in ipairs({ ... }) do
      io.stdout:write('\n     ' .. vim.inspect(value))
    end
  end
  io.stdout:write('\n')
end

local function edit(path)
  vim.cmd('edit ' .. path)
  return vim.api.nvim_get_current_buf()
end

local site = edit(os.getenv('SITE'))
local id = vim.lsp.start_client({
  cmd = { os.getenv('FASTMATCH'), 'lsp' },
  name = 'fastmatch',
  root_dir = vim.fn.fnamemodify(os.getenv('SITE'), ':h'),
})
vim.lsp.buf_attach_client(site, id)
local client = vim.lsp.get_client_by_id(id)
local ready = vim.wait(patience, function()
  return client.initialized or false
end)
say('the server starts', ready)

local function messages(buffer, number)
  vim.wait(patience, function()
    return #vim.diagnostic.get(buffer) == number
  end)
  return vim.diagnostic.get(buffer)
end

local function replace(buffer, from, to)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  for number, line in ipairs(lines) do
    lines[number] = line:gsub(vim.pesc(from), (to:gsub('%%', '%%%%')))
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
end

local function ask(method, text, more)
  local line = vim.fn.search('\\V' .. text, 'cw')
  local column = vim.fn.col('.') - 1
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/' .. method,
    vim.tbl_extend('force', {
      textDocument = vim.lsp.util.make_text_document_params(),
      position = { line = line - 1, character = column },
      options = { tabSize = 4, insertSpaces = true },
    }, more or {}), patience)
  return answers and answers[id] and answers[id].result
end

say('there is nothing to say of good rules', #messages(site, 0) == 0,
  vim.diagnostic.get(site))
replace(site, 'query drop', 'quary drop')
local found = messages(site, 1)
say('a mistake is shown while it is typed', #found == 1 and
  found[1].message:find("did you mean 'query'", 1, true) ~= nil and
  found[1].severity == vim.diagnostic.severity.ERROR, found)
replace(site, 'quary drop', 'query drop')
say('it goes when it is repaired', #messages(site, 0) == 0)

local hover = ask('hover', 'query drop')
say('hover shows the manual', hover and hover.contents.value:find(
  'Removes the named parameters', 1, true) ~= nil, hover)

local place = ask('definition', 'phones and')
say('a definition is found', place and #place == 1 and
  place[1].range.start.line == 1, place)
place = ask('references', 'phones and',
  { context = { includeDeclaration = true } })
say('references are found, in included files too', place and #place == 3,
  place)

replace(site, 'query drop utm_*;', 'query drop utm_*; unset  A;')
local edits = ask('formatting', 'query')
vim.lsp.util.apply_text_edits(edits or {}, site, client.offset_encoding)
local text = table.concat(vim.api.nvim_buf_get_lines(site, 0, -1, false), '\n')
say('it is formatted', text:find('    query drop utm_*;\n    unset A;\n', 1,
  true) ~= nil, edits, text)

replace(site, '    unset A;', '    uns')
local offered = ask('completion', 'uns', {
  position = { line = vim.fn.search('uns$', 'cw') - 1, character = 7 } })
local labels = {}
for _, item in ipairs(offered and (offered.items or offered) or {}) do
  labels[item.label] = true
end
say('completion offers statements', labels.unset and labels.when, offered)
replace(site, '    uns', '')

vim.cmd('set hidden')
local wiki = edit(os.getenv('WIKI'))
vim.lsp.buf_attach_client(wiki, id)
say('an included file is checked with the other', #messages(wiki, 0) == 0)
replace(wiki, 'use shop', 'use shops')
found = messages(wiki, 1)
say('its mistakes are shown in it', #found == 1 and found[1].lnum == 2, found)

client.stop()
say('the server ends', vim.wait(patience, function()
  return client.is_stopped()
end))
vim.cmd('qa!')
