/**
 * Brings the answer of a form into sight. Where the window is too narrow for two columns, it is below the request, and a person
 * would see nothing happen.
 */
export function showAnswer(): void {
  const answer = document.querySelector('[role=dialog] section[aria-label="Response"]');
  // Scalar draws the answer after this function has returned.
  requestAnimationFrame(() => answer?.scrollIntoView({ block: 'start' }));
}
