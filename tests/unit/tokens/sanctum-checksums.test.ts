import { crc32b, phpCrc32 } from '../../../src/auth/tokens/token-format.ts';

test.each([
  ['', '00000000', '00000000'],
  ['a', '6b9b9319', 'e8b7be43'],
  ['7qOQvXbRzM3iUcTgWd0LpKfYh5EaNsJt8wCnB2Gk', 'b44dff59', 'e4bcbe6b'],
  ['p6cfOPUefRudsp7WoeaGpNDwacgAGlujKSFxtL2u', '3d27913a', '5966e38f'],
  ['Pb2ThlccDWm8FjOE5FIMV43lm8ACG5Pc3M3XgTRx', '8c8dfe03', 'c7c64036'],
])('the checksums of %j are those of PHP', (text, crc32, crc32bOfText) => {
  expect([phpCrc32(text), crc32b(text)]).toEqual([crc32, crc32bOfText]);
});
