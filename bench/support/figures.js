import { CPU, digits, tableOf } from './table.js';

/** The rows that know the processor time of an answer, in the order of the table. */
const WORK = {
  me: 'GraphQL `me`',
  'forward-auth': '`GET /forward-auth`',
  introspection: '`POST /oauth/introspect`',
  logout: 'REST logout',
};
/** The rows whose value and other measurements are figures for operators. */
const TOLD = ['cold-start', 'cold-start-embedded', 'memory', 'memory-at-rest'];

/** A number with three significant digits, for people. */
const rounded = (value) => Number(value.toPrecision(3)).toLocaleString('en');

/**
 * The processor time of each kind of request, in milliseconds. Logins keep all cores busy, so their rate tells it. A registration is
 * measured almost without its hash, and that of bare bcrypt is added.
 */
function* processorTimes({ rows, cores }) {
  for (const [name, what] of Object.entries(WORK)) {
    yield [what, rows[name]?.others[CPU]];
  }
  const { login, registration } = rows;
  const millisOf = (logins) => (1000 * cores) / logins.median;
  yield ['login, `BCRYPT_COST=12`', login && millisOf(login.value)];
  yield [
    'registration of a doctor with three documents of 1 MiB, `BCRYPT_COST=12`',
    login && registration && registration.others[CPU] + millisOf(login.yardstickValue),
  ];
}

/** What docs/performance.md says about the last results: answers a core gives, start time and memory. */
export function figuresForOperators({ date, node, cpu, cores, rows }) {
  const perCore = [...processorTimes({ rows, cores })]
    .filter(([, millis]) => millis !== undefined)
    .map(([what, millis]) => [
      what,
      `${digits(millis)} ms`,
      rounded(1000 / millis),
      rounded(3_600_000 / millis),
    ]);
  const told = TOLD.filter((name) => rows[name]).flatMap((name) => {
    const { what, unit, value, others } = rows[name];
    const besides = Object.entries(others).map(([other, figure]) => `${what}, ${other}: ${digits(figure)}`);
    return [`${what}: ${digits(value.median)}${unit}`, ...besides];
  });
  return [
    `${date}, ${cpu}, Node.js ${node}.`,
    tableOf([['request', 'processor time', 'one core serves a second', 'an hour'], ...perCore]),
    told.map((line) => `- ${line}`).join('\n'),
  ].join('\n\n');
}
