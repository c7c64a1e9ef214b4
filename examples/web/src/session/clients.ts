import { createAuthClient } from '@auth-gateway/client';

const options = { url: location.origin, storageKey: 'access-token' };

/** "Stay logged in on this device": all tabs of the browser share the token, and one that logs out logs out the others. */
const deviceClient = createAuthClient({ ...options, storage: 'localStorage' });
/** The token survives a reload, and ends with the tab: nobody who uses the computer later finds it. */
const tabClient = createAuthClient({ ...options, storage: sessionStorage });

/** The client whose session a login or registration begins. */
export const clientFor = (staysLoggedIn: boolean) => (staysLoggedIn ? deviceClient : tabClient);

/** The client of the session that the page was left with. */
export const firstClient = () => (tabClient.token === null ? deviceClient : tabClient);
