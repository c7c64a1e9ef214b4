import type { Invitation, Result } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem } from '../../form/problems.tsx';
import { useTexts } from '../../language/language.ts';
import type { Place, Route } from '../../navigation/route.ts';
import { settings } from '../../settings.ts';
import { NO_ACCOUNT } from '../account-fields.ts';

/** False for the registration of a role that is closed to people without an invitation. */
export const isOpen = (place: Place): boolean =>
  (place !== '/register/doctor' || settings.registration.doctor === 'open') &&
  (place !== '/register/patient' || settings.registration.patient === 'open');

const UNINVITED = { ...NO_ACCOUNT, invitation: '' };

interface Properties {
  place: Place;
  route: Route;
  /** The form, with what an invitation has. */
  children(account: typeof UNINVITED): ReactNode;
}

/** A registration: for everybody, if it is open, or by the link of an invitation. */
export function Invited({ place, route: { linkToken: token }, children }: Properties) {
  const client = useAuth();
  const { loading, register, roles } = useTexts();
  const [found, setFound] = useState<Result<Invitation, string>>();
  useEffect(() => {
    if (token) {
      client.invitation({ token }).then(setFound);
    }
  }, [client, token]);
  if (!token) {
    return isOpen(place) ? children(UNINVITED) : <p>{register.closed(settings.contact ?? '')}</p>;
  }
  if (!found) {
    return <p className="loading">{loading}</p>;
  }
  if (!found.ok) {
    const isVoid = found.error.code === 'BAD_USER_INPUT';
    return isVoid ? <p>{register.notInvited(settings.contact ?? '')}</p> : <Problem error={found.error} />;
  }
  const { email, name, role } = found.data;
  return (
    <>
      <p>{register.invited(name, roles[role], email)}</p>
      {children({ ...UNINVITED, email, name, invitation: token })}
    </>
  );
}
