import type { ReviewedDoctor } from '@auth-gateway/client';
import { Problem } from '../../form/problems.tsx';
import { DecisionDialog } from './decision-dialog.tsx';
import { DoctorDetails, Nobody } from './doctor-details.tsx';
import { QueueList, StatusFilter } from './queue-list.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { useFocusKeptFromFrames } from './use-focus-kept-from-frames.ts';
import { useReviewDesk } from './use-review-desk.ts';
import { type Shortcuts, useShortcuts } from './use-shortcuts.ts';

/** The desk of reviewers: the queue of a status, and one doctor of it with documents and decisions. */
export function ReviewDeskView() {
  const desk = useReviewDesk();
  const { queue, dialog } = desk;
  const shortcuts: Shortcuts = {
    j: { text: 'Next doctor', act: () => desk.step(1) },
    k: { text: 'Doctor before', act: () => desk.step(-1) },
    a: { text: 'Approve', act: () => desk.ask('APPROVE') },
    r: { text: 'Reject, with a reason', act: () => desk.ask('REJECT') },
    s: { text: 'Suspend, with a reason', act: () => desk.ask('SUSPEND') },
  };
  const showHelp = () => desk.setDialog('help');
  const close = () => desk.setDialog(null);
  useShortcuts(shortcuts, showHelp);
  useFocusKeptFromFrames();
  return (
    <>
      <Problem error={desk.error} />
      <div className="desk">
        <div className="tools">
          <StatusFilter list={queue.list} choose={desk.choose} />
          <button type="button" className="quiet" onClick={showHelp}>
            Keyboard shortcuts
          </button>
        </div>
        <nav aria-label="Doctors" className="waiting">
          <QueueList queue={queue} pick={desk.pick} />
          {queue.after !== null && (
            <button type="button" onClick={desk.readMore}>
              Show more
            </button>
          )}
        </nav>
        <section className="details" ref={desk.details}>
          {queue.selected && (
            <DoctorDetails key={keyOf(queue.selected)} doctor={queue.selected} ask={desk.ask} />
          )}
          {!queue.selected && (desk.isRead ? <Nobody list={queue.list} /> : <p>Loading…</p>)}
        </section>
      </div>
      {dialog === 'help' && <ShortcutsDialog shortcuts={shortcuts} onClose={close} />}
      {dialog && dialog !== 'help' && <DecisionDialog desk={desk} {...dialog} onClose={close} />}
    </>
  );
}

/** A doctor who has changed is drawn anew. */
const keyOf = ({ account, revision }: ReviewedDoctor): string => `${account.id}/${revision}`;
