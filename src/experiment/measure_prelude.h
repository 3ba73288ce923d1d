// The part of the claims' language that is written in itself: figures of runs as values, and the
// functions over them. It is given what it needs from C++ and returns how to read a value and how
// to forbid new globals.
#pragma once

namespace raddle::experiment {

inline constexpr const char kMeasurePrelude[] = R"lua(
local groups, find, matches, suggest = ...
local fail = error

local Series, Path = {}, {}
local parts_of = {}  -- the key under which a path keeps its parts; no figure can have it

local function kind(value)
  local mark = getmetatable(value)
  return mark == Series and "series" or mark == Path and "path" or type(value)
end

local function path(parts) return setmetatable({[parts_of] = parts}, Path) end

-- A number, or a series: an array of numbers with the label of each.
local function value_of(value)
  local what = kind(value)
  if what == "number" or what == "series" then return value end
  if what == "boolean" then return value and 1 or 0 end
  if what == "path" then return setmetatable(find(table.unpack(value[parts_of])), Series) end
  if what ~= "table" then fail("a number or a figure is expected here, not " .. what, 0) end
  local row = setmetatable({labels = {}}, Series)
  for _, item in ipairs(value) do
    item = value_of(item)
    for _, number in ipairs(type(item) == "number" and {item} or item) do
      row[#row + 1] = number
      row.labels[#row] = tostring(#row)
    end
  end
  return row
end

local function numbers(value)
  value = value_of(value)
  return type(value) == "number" and {value} or value
end

local function combine(a, b, apply)
  a, b = value_of(a), value_of(b)
  local one_a, one_b = type(a) == "number", type(b) == "number"
  if one_a and one_b then return apply(a, b) end
  if not one_a and not one_b and #a ~= #b then
    fail(#a .. " values on the left, " .. #b .. " on the right", 0)
  end
  local shape = one_a and b or a
  local result = setmetatable({labels = shape.labels}, Series)
  for i = 1, #shape do result[i] = apply(one_a and a or a[i], one_b and b or b[i]) end
  return result
end

-- The runs with these labels, in this order; with *, those that match it in their own order.
local function choose(value, wanted)
  value = value_of(value)
  local some = setmetatable({labels = {}}, Series)
  for _, pattern in ipairs(type(wanted) == "string" and {wanted} or wanted) do
    local before = #some
    for i, label in ipairs(value.labels) do
      if matches(pattern, label) then
        some[#some + 1] = value[i]
        some.labels[#some] = label
      end
    end
    if #some == before then suggest("unknown run '" .. pattern .. "'", pattern, value.labels) end
  end
  return type(wanted) == "string" and #some == 1 and some[1] or some
end

local function every(a, b, holds)
  local truth = combine(a, b, function(x, y) return holds(x, y) and 1 or 0 end)
  for _, one in ipairs(numbers(truth)) do
    if one == 0 then return false end
  end
  return true
end

local operators = {
  __add = function(a, b) return combine(a, b, function(x, y) return x + y end) end,
  __sub = function(a, b) return combine(a, b, function(x, y) return x - y end) end,
  __mul = function(a, b) return combine(a, b, function(x, y) return x * y end) end,
  __div = function(a, b) return combine(a, b, function(x, y) return x / y end) end,
  __unm = function(a) return combine(0, a, function(x, y) return x - y end) end,
  __lt = function(a, b) return every(a, b, function(x, y) return x < y end) end,
  __le = function(a, b) return every(a, b, function(x, y) return x <= y end) end,
  __call = choose,
}
for name, operator in pairs(operators) do Series[name], Path[name] = operator, operator end

function Path.__index(value, part)
  local parts = table.move(value[parts_of], 1, #value[parts_of], 1, {})
  parts[#parts + 1] = tostring(part)
  return path(parts)
end

local function fold(value, start, step)
  for _, number in ipairs(numbers(value)) do start = step(start, number) end
  return start
end

local language = {ipairs = ipairs, log = math.log, sqrt = math.sqrt, abs = math.abs}

function language.count(value) return #numbers(value) end
function language.sum(value) return fold(value, 0.0, function(a, b) return a + b end) end
function language.mean(value) return language.sum(value) / language.count(value) end
function language.geomean(value)
  local logs = fold(value, 0.0, function(a, b) return a + math.log(b) end)
  return math.exp(logs / language.count(value))
end
function language.min(value) return fold(value, math.huge, math.min) end
function language.max(value) return fold(value, -math.huge, math.max) end
function language.ceil(value) return combine(value, 0, function(x) return math.ceil(x) end) end

function language.labels(value) return value_of(value).labels end

-- Labels of the runs in which a is greater, or less, than b.
local function where(a, b, holds)
  local truth, found = combine(a, b, function(x, y) return holds(x, y) and 1 or 0 end), {}
  for i, one in ipairs(truth) do
    if one == 1 then found[#found + 1] = truth.labels[i] end
  end
  return found
end
function language.above(a, b) return where(a, b, function(x, y) return x > y end) end
function language.below(a, b) return where(a, b, function(x, y) return x < y end) end

-- f(item) of each item, in a row.
function language.map(items, f)
  local row = {}
  for i, item in ipairs(items) do row[i] = f(item) end
  return row
end

-- The first item for which f(item) is least, or greatest.
local function best(items, f, better)
  local found, least
  for _, item in ipairs(items) do
    local value = f(item)
    if least == nil or better(value, least) then found, least = item, value end
  end
  return found
end
function language.argmin(items, f) return best(items, f, function(a, b) return a < b end) end
function language.argmax(items, f) return best(items, f, function(a, b) return a > b end) end

function language.group(name)
  if not groups[name] then
    local known = {}
    for other in pairs(groups) do known[#known + 1] = other end
    for other in pairs(language) do known[#known + 1] = other end
    table.sort(known)
    suggest("unknown group or function '" .. name .. "'", name, known)
  end
  return path({name})
end

local sealed = false
local environment = setmetatable({}, {
  __index = function(_, name)
    if language[name] ~= nil then return language[name] end
    return language.group(name)
  end,
  __newindex = function(_, name, value)
    if sealed then fail("'" .. name .. "' is not declared; write: local " .. name, 0) end
    language[name] = value
  end,
})
return environment, value_of, function() sealed = true end
)lua";

}  // namespace raddle::experiment
