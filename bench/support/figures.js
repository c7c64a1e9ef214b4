import { alignedTable, digits } from './table.js';

/** The rows that know the processor time of an answer, in the order of the table. */
const WORK = {
  me: 'GraphQL `me`',
  'forward-auth': '`GET /forward-auth`',
  introspection: '`POST /oauth/introspect`',
  logout: 'REST logout',
  'login-among-millions': 'login, almost without its hash (bcrypt cost 4)',
  registration: 'registration of a doctor with three documents of 1 MiB, in the same way',
};
/** The rows whose value and other measurements are figures for operators. */
const TOLD = ['cold-start', 'cold-start-embedded', 'memory', 'memory-at-rest'];
const CPU = 'CPU ms an answer, with the engine';

/** What docs/performance.md says about the last results: answers a core gives, start time and memory. */
export function figuresForOperators({ date, node, cpu, rows }) {
  const work = Object.entries(WORK).filter(([name]) => rows[name]?.others[CPU]);
  const perCore = work.map(([name, what]) => {
    const millis = rows[name].others[CPU];
    return [what, `${digits(millis)} ms`, digits(1000 / millis)];
  });
  const told = TOLD.filter((name) => rows[name]).flatMap((name) => {
    const { what, unit, value, others } = rows[name];
    const besides = Object.entries(others).map(([other, figure]) => `${what}, ${other}: ${digits(figure)}`);
    return [`${what}: ${digits(value.median)}${unit}`, ...besides];
  });
  return [
    `${date}, ${cpu}, Node.js ${node}.`,
    alignedTable([['work', 'processor time, with the engine', 'answers a second and core'], ...perCore]),
    told.map((line) => `- ${line}`).join('\n'),
  ].join('\n\n');
}
