/*
 * Made by PHP 8.2 itself: passwords by password_hash, and tokens as each version of Sanctum formats them. Nobody uses them.
 */

export interface PhpMadePassword {
  name: string;
  password: string;
  hash: string;
}

export const PHP_MADE_PASSWORDS = [
  {
    name: 'bcrypt of cost 12',
    password: 'correct horse',
    hash: '$2y$12$2ha01K2W9RAHVWy42D8O2.FN1DDMC5WhOZDqOWJsq7lsI0kS1C9ZK',
  },
  {
    name: 'bcrypt of cost 10',
    password: 'correct horse',
    hash: '$2y$10$GLLJeDRexSqbPOd./m8E9.Bm4SJ6ZYSWcpKA9Z/vK6JhqPlacAuKS',
  },
  {
    name: 'bcrypt of 80 bytes, of which PHP reads 72',
    password: 'a'.repeat(80),
    hash: '$2y$10$waGsGI/KZE9Z.5zA5Wpnh.fL9yO8NROHbp0JSdqWM.tl1BZ/9p7g.',
  },
  {
    name: 'bcrypt of decomposed letters',
    password: 'Cafe\u0301-geheim',
    hash: '$2y$10$2g2AAU/i9QWWI.XcYOvPZe0P7L5HG8..aiMW9aS79juZcvRzigMjC',
  },
  {
    name: 'argon2id',
    password: 'correct horse',
    hash: '$argon2id$v=19$m=65536,t=4,p=1$MGJ4ZTIyNzFUOHJYb3RFcQ$EpmNzTByQbO9I8d/WL+0kFBZCyf4IZKQBWAkAL6N43E',
  },
  {
    name: 'argon2i',
    password: 'correct horse',
    hash: '$argon2i$v=19$m=65536,t=4,p=1$eTB4QXJOQ2xqRmNHOEFTNA$QG+Os6g60AmwCBk9WxlK1MTP3LgkDxRtdtYIpXlfeEQ',
  },
] as const satisfies readonly PhpMadePassword[];

export interface PhpMadeToken {
  name: string;
  id: string;
  secret: string;
  /** SHA-256 of the secret, as in Sanctum's column `token`. */
  hash: string;
}

export const PHP_MADE_TOKENS = [
  {
    name: 'Sanctum 3.3 and later',
    id: '17',
    secret: 'Pb2ThlccDWm8FjOE5FIMV43lm8ACG5Pc3M3XgTRxc7c64036',
    hash: 'b22fd24b831a2d60946fcaa79a2cb1a010d0963be814d66bda8aa48315152e2e',
  },
  {
    name: 'Sanctum 3.3 and later, with a prefix',
    id: '21',
    secret: 'myskin_s63rPWUflrCGq3uYT3vbEpkiWO7KVVIl0oSKkngm8ce1d864',
    hash: '05d1953486edafc1d39f4255f07a8ae6eb905548e01d590eb3b558527e0523f9',
  },
  {
    name: 'Sanctum 3.2.6',
    id: '18',
    secret: 'p6cfOPUefRudsp7WoeaGpNDwacgAGlujKSFxtL2u3d27913a',
    hash: 'a36b7f9bb56628b6eb8c9f5c67f19cd48c2c3b6cfade65d7dda490f57ab2bed6',
  },
  {
    name: 'Sanctum up to 3.2.5',
    id: '19',
    secret: '7oLxp0GP3f9qqvPZKtep6AXpt58cvJTl1OkVYa1s',
    hash: '2d027d0abf04674482125b78e5899c3feff4a3372d302f4a0df0651b381c8f2b',
  },
  {
    name: 'the oldest Sanctum',
    id: '20',
    secret: 'Ud2bhzW2aBg57WQ1xCBzrFaxDoQKIvJ3SKmYPICFFCIPYmKS3JvIKQoDxaFrzBCx1QW75gBa2Wzhb2dU',
    hash: 'd0ed2efc754a138e7a45105790d468ea704e7a1bca300627bdfd8f25b1e73944',
  },
] as const satisfies readonly PhpMadeToken[];
