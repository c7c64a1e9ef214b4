import type { AuthClient } from '@auth-gateway/client';

/** What a page shows. Each function resolves with what the person has typed. */
export interface Dialogs {
  askForCode(message: string): Promise<string>;
  showApp(app: { secretKey: string; url: string; svg: string }): Promise<string>;
  showRecoveryCodes(codes: readonly string[]): void;
}

/** Logs in. @returns what to tell the person if that did not work */
export async function logIn(
  client: AuthClient,
  email: string,
  password: string,
  dialogs: Dialogs,
): Promise<string | undefined> {
  const login = await client.login({ email, password });
  if (login.ok) {
    return undefined;
  }
  const { error } = login;
  if (error.code === 'TWO_FACTOR_REQUIRED') {
    const code = await dialogs.askForCode(error.message);
    const completed = await client.completeLogin({ challenge: error.challenge, code });
    return completed.ok ? undefined : completed.error.message;
  }
  if (error.code !== 'TWO_FACTOR_SETUP_REQUIRED') {
    return error.message;
  }
  const { challenge } = error;
  const app = await client.enableTwoFactor({ password, challenge });
  if (!app.ok) {
    return app.error.message;
  }
  const confirmed = await client.confirmTwoFactor({ challenge, code: await dialogs.showApp(app.data) });
  if (!confirmed.ok) {
    return confirmed.error.message;
  }
  dialogs.showRecoveryCodes(confirmed.data.recoveryCodes);
  await client.refresh();
  return undefined;
}
