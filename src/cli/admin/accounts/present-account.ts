import type { KnownAccount } from '../../../stores/accounts.ts';
import type { Verification } from '../../../stores/doctors.ts';
import type { Line } from '../../print.ts';
import { shown } from '../command.ts';

/** One line of a list of accounts. */
export function presentInLine({ id, role, email, name, phone, createdAt, disabledAt }: KnownAccount): Line {
  const text = [
    id,
    role,
    email,
    name,
    phone ?? '-',
    `created ${shown(createdAt, 'unknown')}`,
    ...(disabledAt ? [`disabled ${shown(disabledAt, 'unknown')}`] : []),
  ].join('  ');
  return { text, json: { id, name, email, phone, role, createdAt, disabledAt } };
}

/**
 * A whole account, without its hash.
 * @param verification of a doctor
 */
export function presentAccount(
  account: KnownAccount,
  tokens: number,
  verification: Verification | undefined,
): Line {
  const { id, name, email, phone, role, createdAt, disabledAt, erasureDueAt, legacyAbsence } = account;
  const fields: [label: string, value: unknown][] = [
    ['id', id],
    ['name', name],
    ['e-mail', email],
    ['phone', phone ?? '-'],
    ['role', role],
    ['created', shown(createdAt, 'unknown')],
    ['disabled', shown(disabledAt, 'no')],
    ...(legacyAbsence
      ? [
          ['absent', `from the legacy service since ${shown(legacyAbsence.since, 'unknown')}`] as [
            string,
            unknown,
          ],
        ]
      : []),
    ...(erasureDueAt ? [['erased', `after ${shown(erasureDueAt, 'unknown')}`] as [string, unknown]] : []),
    ['tokens', tokens],
    ...(verification ? linesOf(verification) : []),
  ];
  const json = { id, name, email, phone, role, createdAt, disabledAt, tokens };
  return {
    text: fields.map(([label, value]) => label.padEnd(10) + value),
    json: {
      ...json,
      ...(legacyAbsence && { absentSince: legacyAbsence.since }),
      ...(erasureDueAt && { erasureDueAt }),
      ...(verification && { verification }),
    },
  };
}

const linesOf = ({ status, decidedAt, reason }: Verification): [label: string, value: unknown][] => [
  ['review', decidedAt ? `${status} since ${shown(decidedAt, 'unknown')}` : status],
  ...(reason === null ? [] : ([['reason', reason]] as [string, unknown][])),
];
