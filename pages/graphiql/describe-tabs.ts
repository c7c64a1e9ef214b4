/**
 * Describes the tabs of GraphiQL to assistive technology as a list of buttons. GraphiQL describes them as elements of the role
 * `tab` with two buttons inside, which screen readers do not reach (WAI-ARIA 1.2 section 5.2.8: children of a tab are
 * presentational; axe `nested-interactive`). Also moves the open tab into sight.
 */
export function describeTabs(active: number): void {
  const [list] = document.getElementsByClassName('graphiql-tabs');
  list?.removeAttribute('role');
  for (const [index, tab] of [...document.getElementsByClassName('graphiql-tab')].entries()) {
    tab.removeAttribute('role');
    tab.removeAttribute('aria-selected');
    const [button, close] = tab.querySelectorAll('button');
    button?.setAttribute('aria-current', String(index === active));
    close?.setAttribute('aria-label', `Close ${button?.textContent}`);
    if (index === active) {
      tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }
}
