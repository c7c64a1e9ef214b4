import { useAuth, useSession } from '@auth-gateway/client/react';
import { Form } from './form';

export function App() {
  const session = useSession();
  const auth = useAuth();
  if (session.status === 'anonymous') {
    return <Entrance />;
  }
  if (session.status === 'authenticated') {
    const { name, role } = session.account;
    return (
      <p>
        {name} ({role}){' '}
        <button type="button" onClick={() => auth.logout()}>
          Log out
        </button>
      </p>
    );
  }
  // The client checks the stored token, or the gateway does not answer.
  return session.error ? (
    <p>
      {session.error.message}{' '}
      <button type="button" onClick={() => auth.refresh()}>
        Try again
      </button>
    </p>
  ) : (
    <p>One moment …</p>
  );
}

export function Entrance() {
  const { login, registerPatient, registerDoctor, password } = useAuth();
  return (
    <>
      <Form title="Log in" texts={['email', 'password']} send={login} />
      <Form title="Register as a patient" texts={['name', 'email', 'password']} send={registerPatient} />
      <Form
        title="Register as a doctor"
        texts={['name', 'email', 'password', 'phone', 'specialization', 'licenseNumber']}
        documents={['licenseFile', 'diplomaFile', 'certificationFile']}
        send={registerDoctor}
      />
      <Form
        title="Send me a reset link"
        texts={['email']}
        send={({ email }) => password.requestReset(email)}
      />
      <Form title="Choose a new password" texts={['token', 'newPassword']} send={password.reset} />
    </>
  );
}
