import {
  deviceOf,
  knownNamesOf,
  originOf,
  rememberedDevice,
  shownDevices,
  shownOrigin,
} from '../../../src/auth/tokens/devices.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  ['Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0', 'Firefox on Android'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`,
    'Microsoft Edge on Windows',
  ],
  [`${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari on iOS'],
  [`${IPHONE} CriOS/130.0.6723.90 Mobile/15E148 Safari/604.1`, 'Chrome on iOS'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet for Android',
  ],
  ['curl/8.5.0', 'curl'],
  ['node', 'node'],
  ['python-requests/2.32.3', 'python-requests'],
  ['MyApp/1.0 CFNetwork/1490.0.4 Darwin/23.2.0', 'MyApp'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
])('%s is shown as %s', (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device);
});

test('a user agent that says nothing, or is no plain word, is no device', () => {
  const says = [
    undefined,
    '',
    '  ',
    'Mozilla/5.0',
    '<script>alert(1)</script>',
    '\u001b]0;x\u0007',
    '🦊/1.0',
  ];
  expect(says.map(deviceOf)).toEqual(says.map(() => undefined));
  expect(deviceOf(`${'x'.repeat(300)}/1.0`)).toBeUndefined();
});

test('an account remembers a device for every user agent, and no program has the name of an unknown one', () => {
  const remembered = [undefined, '', 'Mozilla/5.0', 'unknown device/1'].map(rememberedDevice);
  expect(remembered).toEqual([...Array(3).fill('unknown device'), 'unknown']);
  expect(shownDevices(['Firefox', 'x'.repeat(65), 7, null, 'a\u001bb'])).toEqual(['Firefox']);
  expect(shownDevices(Array.from({ length: 1_000 }, String))).toHaveLength(8);
  expect([undefined, null, 'Firefox', { 0: 'Firefox' }].flatMap(shownDevices)).toEqual([]);
});

test('a mail gets only names of browsers and systems that are known', () => {
  expect(knownNamesOf('Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0')).toEqual({
    browser: 'Firefox',
    system: 'Android',
  });
  expect(knownNamesOf(`Mozilla/5.0 (Linux; Android 14; x) ${WEBKIT} SamsungBrowser/26.0`)).toEqual({
    browser: 'Samsung Internet for Android',
  });
  const lures = ['evil.example/1.0', '__proto__/1', 'constructor/1', 'x'.repeat(10_000)];
  for (const lure of [undefined, '', ...lures]) {
    expect(knownNamesOf(lure)).toEqual({});
  }
});

test('nothing that a caller has made up comes through beside one word', () => {
  const name = /^[\w.+-]{1,32}$/;
  const secret = 'My Name Is (Secret) Password/1.0 x';
  for (const lure of ['evil\u009b31m/1.0', 'a b\u0085c/1', '__proto__/1', secret]) {
    const device = deviceOf(lure) ?? 'none';
    expect(device).toMatch(name);
    expect(device).not.toMatch(/Secret|Password/);
  }
  expect(deviceOf('constructor/1.0')).toBe('constructor');
  expect(deviceOf(`Firefox/1 ${'\u009b'.repeat(20)}`)).toBe('Firefox');
});

test('only the beginning of a user agent is read', () => {
  expect(deviceOf(`x${' '.repeat(300)}Firefox/131.0 Android`)).toBe('x');
});

test('an origin has only what is known', () => {
  expect(originOf({ ip: '192.0.2.7', userAgent: 'curl/8' })).toEqual({ ip: '192.0.2.7', device: 'curl' });
  expect(originOf({ ip: '', userAgent: undefined })).toEqual({});
});

test('an origin that another program has stored wrongly is unknown', () => {
  expect(shownOrigin({})).toEqual({ device: null, ip: null });
  for (const wrong of [7, null, ['curl'], { a: 1 }, 'x'.repeat(65), 'a\u001b[31mb']) {
    expect(shownOrigin({ device: wrong, ip: wrong } as object)).toEqual({ device: null, ip: null });
  }
});
