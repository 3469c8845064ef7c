// The Redis store's scripts. Redis runs each of them whole, with nothing in between, which is what makes them safe.
// KEYS[1] is the record, a hash. A time of '' means the server's own clock.

const NOW = `
local function now_ms(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function owns(states)
  local held = redis.call('HMGET', KEYS[1], 'owner', 'state')
  if held[1] ~= ARGV[1] then return false end
  for _, state in ipairs(states) do
    if held[2] == state then return state end
  end
  return false
end`;

/** ARGV: owner, now, lease ms, keep ms, fingerprint or ''. */
export const BEGIN = `${NOW}
local now = now_ms(ARGV[2])
local held = redis.call('HMGET', KEYS[1], 'state', 'fingerprint', 'lease_until_ms', 'expires_at_ms', 'result')
if held[1] and tonumber(held[4]) > now then
  if held[2] and ARGV[5] ~= '' and held[2] ~= ARGV[5] then return {'mismatch'} end
  if held[1] == 'done' then
    if held[5] then return {'done', held[5]} end
    return {'done'}
  end
  if held[1] == 'running' and tonumber(held[3]) > now then
    return {'busy', string.format('%d', tonumber(held[3]) - now)}
  end
end
local fence = redis.call('HINCRBY', KEYS[1], 'fence', 1)
redis.call('HSET', KEYS[1], 'state', 'running', 'owner', ARGV[1],
  'lease_until_ms', string.format('%d', now + tonumber(ARGV[3])),
  'expires_at_ms', string.format('%d', now + tonumber(ARGV[4])))
redis.call('HDEL', KEYS[1], 'result', 'fingerprint')
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'fingerprint', ARGV[5]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'mine', string.format('%d', fence)}`;

/**
 * ARGV: owner, now, lease ms, keep ms, version. The result is the newest version, in decimal digits without leading zeros:
 * of two, the longer one is the larger, since Lua's numbers do not hold all of them.
 */
export const BEGIN_NEWER = `${NOW}
local now = now_ms(ARGV[2])
local held = redis.call('HMGET', KEYS[1], 'state', 'result', 'lease_until_ms', 'expires_at_ms')
if held[1] and tonumber(held[4]) > now then
  local newest, version = held[2], ARGV[5]
  if newest and (#version < #newest or (#version == #newest and version <= newest)) then return {'stale', newest} end
  if held[1] == 'running' and tonumber(held[3]) > now then
    return {'busy', string.format('%d', tonumber(held[3]) - now)}
  end
else
  redis.call('HDEL', KEYS[1], 'result')
end
local fence = redis.call('HINCRBY', KEYS[1], 'fence', 1)
redis.call('HSET', KEYS[1], 'state', 'running', 'owner', ARGV[1],
  'lease_until_ms', string.format('%d', now + tonumber(ARGV[3])),
  'expires_at_ms', string.format('%d', now + tonumber(ARGV[4])))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'mine', string.format('%d', fence)}`;

/** ARGV: owner, now, lease ms. 1 when held. */
export const RENEW = `${NOW}
if not owns({'running'}) then return 0 end
local until_ms = now_ms(ARGV[2]) + tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'lease_until_ms', string.format('%d', until_ms))
if until_ms > tonumber(redis.call('HGET', KEYS[1], 'expires_at_ms')) then
  redis.call('HSET', KEYS[1], 'expires_at_ms', string.format('%d', until_ms))
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1`;

/**
 * ARGV: owner, now, keep ms, '1' when there is a result, the result, then each effect as its number of words and the words.
 * The effects run before the key is done, so that one that fails at once leaves the key undone. 1 when saved.
 */
export const COMPLETE = `${NOW}
local state = owns({'running', 'done'})
if not state then return 0 end
if state == 'done' then return 1 end
local at = 6
while at <= #ARGV do
  local words = tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, at + words))
  at = at + 1 + words
end
redis.call('HSET', KEYS[1], 'state', 'done',
  'expires_at_ms', string.format('%d', now_ms(ARGV[2]) + tonumber(ARGV[3])))
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'result', ARGV[5]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** ARGV: owner. 1 when it was given up. */
export const RELEASE = `${NOW}
if not owns({'running'}) then return 0 end
redis.call('HSET', KEYS[1], 'state', 'free')
return 1`;
