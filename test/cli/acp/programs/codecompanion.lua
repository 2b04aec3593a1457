-- A double of CodeCompanion: it runs the snippet in the file SNIPPET and prints how the adapter is started.

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c)
    return string.format("\\u%04x", c:byte())
  end) .. '"'
end

local adapter
package.preload["codecompanion.adapters"] = function()
  return {
    extend = function(base, with)
      assert(base == "goose" and with.name == "agent" and with.formatted_name == "Agent")
      return with
    end,
  }
end
package.preload["codecompanion"] = function()
  return {
    setup = function(options)
      adapter = options.adapters.acp.agent()
    end,
  }
end

dofile(os.getenv("SNIPPET"))

local words, variables = {}, {}
for _, word in ipairs(adapter.commands.default) do
  table.insert(words, quoted(word))
end
for name, value in pairs(adapter.env or {}) do
  table.insert(variables, quoted(name) .. ":" .. quoted(value))
end
io.write(
  '{"command":', table.remove(words, 1),
  ',"args":[', table.concat(words, ","),
  '],"env":{', table.concat(variables, ","), "}}"
)
