import type { Page } from 'playwright-core';

/** A passkey on the device of the browser. */
interface Credential {
  credentialId: string;
  signCount: number;
}

/** Chromium's virtual authenticator: the device of a page. https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/ */
export interface Device {
  credentials(): Promise<Credential[]>;
  /** Whether the person is recognized by a fingerprint, a face or a PIN. */
  recognizes(isVerified: boolean): Promise<unknown>;
  /** Makes signatures that are wrong. */
  forges(isBogus: boolean): Promise<unknown>;
}

export async function addDevice(page: Page): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    recognizes: (isUserVerified) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    forges: (isBogusSignature) =>
      session.send('WebAuthn.setResponseOverrideBits', { authenticatorId, isBogusSignature }),
  };
}
