import { networksOf, senderOf } from '../../../src/system/networks.ts';

const keysOf = (address: string) => networksOf(address).map(({ level, key }) => `${level} ${key}`);

// Stored counts and known places have these forms: a change would forget them.
test.each([
  ['192.0.2.130', ['block 192.0.2.0/24', 'address 192.0.2.130']],
  [
    '2001:db8:1:2ff::/64',
    ['block 2001:db8:1::/48', 'line 2001:db8:1:200::/56', 'address 2001:db8:1:2ff::/64'],
  ],
  ['2001:db8:0:0::/64', ['block 2001:db8:0::/48', 'line 2001:db8:0:0::/56', 'address 2001:db8:0:0::/64']],
  ['0:0:0:0::/64', ['block 0:0:0::/48', 'line 0:0:0:0::/56', 'address 0:0:0:0::/64']],
  ['', ['address ']],
  ['unknown', ['address unknown']],
  ['192.0.2.0/24', ['address 192.0.2.0/24']],
  ['2001:db8:1::/48', ['address 2001:db8:1::/48']],
  ['192.0.2', ['address 192.0.2']],
])('the networks around "%s", the widest first', (address, keys) => {
  expect(keysOf(address)).toEqual(keys);
});

test.each([
  ['192.0.2.130', '192.0.2.130'],
  ['2001:db8:1:2ff::/64', '2001:db8:1::/48'],
  ['unknown', 'unknown'],
])('one attacker may own the whole of what "%s" counts for', (address, sender) => {
  expect(senderOf(address)).toBe(sender);
});
