/** How often the page looks, in milliseconds. */
const LOOK_MILLIS = 5_000;

interface Readiness {
  status: string;
  checks: Record<string, string>;
}

/** Shows the health of the gateway as it is now, as long as somebody looks at the page. */
export function followReadiness(): void {
  setInterval(() => {
    if (!document.hidden) {
      void look();
    }
  }, LOOK_MILLIS);
}

async function look(): Promise<void> {
  const answer = await fetch('readyz').catch(() => undefined);
  const read = (await answer?.json().catch(() => undefined)) as Readiness | undefined;
  const badge = document.getElementById('readiness');
  if (badge) {
    badge.className = read?.status === 'ready' ? 'ready' : 'not-ready';
    show(badge, read ? (read.status === 'ready' ? 'Ready' : 'Not ready') : 'Does not answer');
  }
  for (const fact of document.querySelectorAll<HTMLElement>('[data-check]')) {
    const { check = '', name = '' } = fact.dataset;
    const state = read?.checks[check] ?? 'is not known';
    fact.className = state === 'ok' ? 'up' : 'down';
    show(fact, `${name} ${state === 'ok' ? 'answers' : state}`);
  }
}

/** A screen reader reads only what has changed. */
function show(element: HTMLElement, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
