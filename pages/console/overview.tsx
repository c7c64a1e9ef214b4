import { send } from './api.ts';
import { CoverageReport } from './coverage.tsx';
import { OverviewDocument, type OverviewQuery } from './generated/graphql.ts';
import { Shown, useLoaded } from './loading.tsx';
import { Table } from './table.tsx';
import { orNone, Time } from './text.tsx';

type Overview = OverviewQuery['overview'];

/** What there is to do, as numbers. */
export function OverviewPage() {
  const loaded = useLoaded('overview', async () => (await send(OverviewDocument, {})).overview);
  return (
    <>
      <h1>Overview</h1>
      <Shown loaded={loaded}>{(overview) => <Numbers overview={overview} />}</Shown>
      <CoverageReport />
    </>
  );
}

function Numbers({ overview }: { overview: Overview }) {
  const { counts, problems, waitingMails, requestedActs, lastBackupAt, version } = overview;
  return (
    <>
      {problems.length > 0 ? (
        <p className="problem" role="alert">
          Something does not work: {problems.join('; ')}.
        </p>
      ) : (
        <p className="good">The gateway works.</p>
      )}
      <dl className="numbers">
        <Figure name="Doctors who wait" value={counts?.pendingDoctors} />
        <div>
          <dt>The first has waited since</dt>
          <dd>{orNone(counts?.oldestPendingAt && <Time iso={counts.oldestPendingAt} />)}</dd>
        </div>
        <Figure name="Acts that wait for another operator" value={requestedActs} />
        <Figure name="Mails that wait" value={waitingMails ?? 'no mails here'} />
        <Figure name="Disabled accounts" value={counts && counts.disabled - counts.closed} />
        <Figure name="Closed accounts" value={counts?.closed} />
        <div>
          <dt>Last backup</dt>
          <dd>{orNone(lastBackupAt && <Time iso={lastBackupAt} />, 'none by the gateway')}</dd>
        </div>
        <Figure name="Release" value={version} />
      </dl>
      <Coverage counts={counts} />
    </>
  );
}

const Figure = ({ name, value }: { name: string; value: number | string | null | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value === null || value === undefined ? 'being counted' : value.toLocaleString('en')}</dd>
  </div>
);

const Coverage = ({ counts }: { counts: Overview['counts'] }) => (
  <Table caption="Active accounts with a second factor" heads={['Role', 'With', 'Without', 'Coverage']}>
    {counts?.active.map(({ role, withTwoFactor, withoutTwoFactor }) => (
      <tr key={role}>
        <th scope="row">{role.toLowerCase()}</th>
        <td>{withTwoFactor.toLocaleString('en')}</td>
        <td>{withoutTwoFactor.toLocaleString('en')}</td>
        <td>{percent(withTwoFactor, withTwoFactor + withoutTwoFactor)}</td>
      </tr>
    ))}
  </Table>
);

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.floor((100 * part) / whole)} %`;
