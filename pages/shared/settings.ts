/** Reads what the server has written into the page, as JSON. */
export function readSettings<Settings>(): Settings {
  return JSON.parse(document.getElementById('settings')?.textContent ?? '{}') as Settings;
}
