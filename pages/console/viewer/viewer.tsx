import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Bilingual, say } from '../language.tsx';
import { Text } from '../text.tsx';
import { DrawingError, type Drawn, PROBLEMS, type Problem } from './drawing.ts';
import type { OpenDocument } from './open-document.ts';

interface Properties {
  /** What the document is. */
  name: string;
  /** Relative to this page. */
  path: string;
}

const problemOf = (error: unknown): Problem => (error instanceof DrawingError ? error.problem : 'FAILED');

/** A document, drawn by a worker; or why it is not. Give it the path as its key. */
export function Viewer({ name, path }: Properties) {
  const [opened, setOpened] = useState<OpenDocument>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    const leaving = new AbortController();
    const open = async () => {
      // Loaded when the first document is shown.
      const { openDocument } = await import('./open-document.ts');
      return openDocument(path, leaving.signal);
    };
    open().then(setOpened, (error: unknown) => leaving.signal.aborted || setProblem(problemOf(error)));
    return () => leaving.abort();
  }, [path]);
  if (problem) {
    return (
      <div className="paper">
        <Unshown name={name} problem={problem} />
      </div>
    );
  }
  if (!opened) {
    return (
      <p className="paper hint" role="status">
        {say('Loading…', 'Wird geladen …')}
      </p>
    );
  }
  return opened.text === undefined ? (
    <Pages name={name} opened={opened} />
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
    <section className="paper text" tabIndex={0} aria-label={`${name}, ${say('text only', 'nur Text')}`}>
      <Text hasLines>{opened.text || say('There is no text in it.', 'Es enthält keinen Text.')}</Text>
    </section>
  );
}

const Unshown = ({ name, problem }: { name: string; problem: Problem }) => (
  <p className="hint" role="alert">
    {say(`${name} cannot be shown.`, `${name} lässt sich nicht anzeigen.`)} {say(...PROBLEMS[problem])}
  </p>
);

const ZOOMS = [1, 1.5, 2, 3, 4, 6];

interface PagesProperties {
  name: string;
  opened: OpenDocument;
}

function Pages({ name, opened }: PagesProperties) {
  const [page, setPage] = useState(1);
  const [zoom, setZoom] = useState(0);
  const [turn, setTurn] = useState(0);
  const [isLarge, setIsLarge] = useState(false);
  const [drawn, setDrawn] = useState<Drawn>();
  /** Of this page: others may be drawn. */
  const [problem, setProblem] = useState<Problem>();
  const paper = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const factor = ZOOMS[zoom] ?? 1;

  useEffect(() => {
    let isCurrent = true;
    const width = Math.ceil(Math.max(paper.current?.clientWidth ?? 0, 300) * factor * devicePixelRatio);
    const show = (result: Drawn) => {
      setDrawn(result);
      setProblem(undefined);
    };
    opened.draw({ page, width, turn }).then(
      (result) => (isCurrent ? show(result) : result.bitmap.close()),
      (error: unknown) => isCurrent && setProblem(problemOf(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [opened, page, factor, turn, isLarge]);
  useEffect(() => {
    if (canvas.current && drawn) {
      Object.assign(canvas.current, { width: drawn.bitmap.width, height: drawn.bitmap.height });
      canvas.current.getContext('bitmaprenderer')?.transferFromImageBitmap(drawn.bitmap);
    }
  }, [drawn]);

  const { pages } = opened;
  const goTo = (wanted: number) => setPage(Math.min(Math.max(Math.trunc(wanted) || 1, 1), pages));
  const zoomBy = (step: number) => setZoom(Math.min(Math.max(zoom + step, 0), ZOOMS.length - 1));
  const [back, next] = [() => goTo(page - 1), () => goTo(page + 1)];
  const [smaller, larger] = [() => zoomBy(-1), () => zoomBy(1)];
  const isLargest = zoom === ZOOMS.length - 1;
  const keys: Record<string, () => void> = {
    '+': larger,
    '-': smaller,
    // Otherwise these scroll.
    ...(factor === 1 && { ArrowLeft: back, ArrowRight: next }),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  };
  const label = `${name}, ${say('pages', 'Seiten')}`;
  const of = say(`of ${pages}`, `von ${pages}`);
  const title = pages > 1 ? `${name}, ${say('page', 'Seite')} ${page} ${of}` : name;
  return (
    <div className={isLarge ? 'viewer large' : 'viewer'}>
      <fieldset className="tools">
        <legend className="visually-hidden">{name}</legend>
        {pages > 1 && (
          <>
            <Tool label={['Previous page', 'Vorige Seite']} sign="‹" isOff={page === 1} act={back} />
            <label>
              {say('Page', 'Seite')}{' '}
              <input
                type="number"
                min={1}
                max={pages}
                value={page}
                onChange={({ target }) => goTo(target.valueAsNumber)}
              />{' '}
              {of}
            </label>
            <Tool label={['Next page', 'Nächste Seite']} sign="›" isOff={page === pages} act={next} />
          </>
        )}
        <Tool label={['Zoom out', 'Verkleinern']} sign="−" keys="-" isOff={zoom === 0} act={smaller} />
        <Tool label={['Zoom in', 'Vergrößern']} sign="+" keys="+" isOff={isLargest} act={larger} />
        <Tool label={['Turn right', 'Nach rechts drehen']} sign="↻" act={() => setTurn((turn + 90) % 360)} />
        <Tool label={['Large', 'Groß']} sign="⤢" isPressed={isLarge} act={() => setIsLarge(!isLarge)} />
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it. */}
      <section ref={paper} className="paper" tabIndex={0} aria-label={label} onKeyDown={onKeyDown}>
        {problem ? (
          <Unshown name={title} problem={problem} />
        ) : (
          <div className="sheet" style={{ width: `${factor * 100}%` }}>
            <canvas ref={canvas} role="img" aria-label={title} aria-busy={!drawn} />
            <TextLayer lines={drawn?.lines ?? []} />
          </div>
        )}
      </section>
    </div>
  );
}

interface ToolProperties {
  label: Bilingual;
  sign: string;
  act(): void;
  keys?: string;
  isOff?: boolean;
  isPressed?: boolean;
}

const Tool = ({ label, sign, act, keys, isOff = false, isPressed }: ToolProperties) => (
  <button
    type="button"
    aria-label={say(...label)}
    title={say(...label)}
    aria-keyshortcuts={keys}
    aria-pressed={isPressed}
    aria-disabled={isOff}
    onClick={act}
  >
    {sign}
  </button>
);

/** The text of a page, invisible above its picture, to be selected and read aloud. */
const TextLayer = ({ lines }: { lines: Drawn['lines'] }) => (
  <div className="text-layer">
    {lines.map(({ text, left, top, height, stretch, angle }, index) => (
      <span
        key={index}
        style={{
          left: `${left * 100}%`,
          top: `${top * 100}%`,
          fontSize: `${height * 100}cqh`,
          transform: `rotate(${angle}rad) scaleX(${stretch})`,
        }}
      >
        {text}
      </span>
    ))}
  </div>
);
