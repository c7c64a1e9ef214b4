import { pageState, usePageState } from './page-state.ts';

/** Says who is logged in, and sends the latest access token if the user wants it. Hidden while there is none. */
export function TokenOffer() {
  const { session } = usePageState();
  const { person, token, sendsToken } = session;
  return (
    <p id="authorization" hidden={token === undefined}>
      <span>
        Logged in as <strong>{person?.email}</strong>
      </span>
      <label>
        <input
          type="checkbox"
          autoComplete="off"
          checked={sendsToken}
          onChange={({ target }) => pageState.update({ session: { ...session, sendsToken: target.checked } })}
        />{' '}
        Send the latest access token with every operation
      </label>
    </p>
  );
}
