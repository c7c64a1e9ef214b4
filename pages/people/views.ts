import type { Session } from '@auth-gateway/client';
import type { ComponentType } from 'react';
import type { Place, Route } from './navigation/route.ts';
import { isOfStaff } from './session/use-ended-session.ts';
import { AccountView } from './views/account/account-view.tsx';
import { HelpView } from './views/help-view.tsx';
import { ConfirmView } from './views/login/confirm-view.tsx';
import { ForgottenView } from './views/login/forgotten-view.tsx';
import { LoginView } from './views/login/login-view.tsx';
import { ResetView } from './views/login/reset-view.tsx';
import { RegisterDoctorView } from './views/register/register-doctor-view.tsx';
import { RegisterPatientView } from './views/register/register-patient-view.tsx';

export interface View {
  /** The link of a mail works with or without a login. */
  isFor: 'visitors' | 'accounts' | 'everyone';
  /** How wide it is: a short form in the middle, or a page of text. */
  width: 'narrow' | 'page';
  Content: ComponentType<{ route: Route }>;
}

export const VIEWS: Record<Place, View> = {
  '/login': { isFor: 'visitors', width: 'narrow', Content: LoginView },
  '/forgotten': { isFor: 'visitors', width: 'narrow', Content: ForgottenView },
  '/reset': { isFor: 'everyone', width: 'narrow', Content: ResetView },
  '/confirm': { isFor: 'everyone', width: 'narrow', Content: ConfirmView },
  '/register/doctor': { isFor: 'visitors', width: 'page', Content: RegisterDoctorView },
  '/register/patient': { isFor: 'visitors', width: 'narrow', Content: RegisterPatientView },
  '/help': { isFor: 'everyone', width: 'page', Content: HelpView },
  '/account': { isFor: 'accounts', width: 'page', Content: AccountView },
};

/** Whether a view fits the session. While it is loading, only views for everyone do. */
export function isOffered({ isFor }: View, session: Session): boolean {
  switch (isFor) {
    case 'everyone':
      return true;
    case 'visitors':
      return session.status === 'anonymous';
    case 'accounts':
      return session.status === 'authenticated' && !isOfStaff(session.account);
  }
}

/** Where a visit begins. */
export function firstPlace(session: Session): Place {
  return session.status === 'authenticated' ? '/account' : '/login';
}

const isPlace = (path: string): path is Place => path in VIEWS;

/** The place of a path; undefined if there is none that fits the session. */
export const placeAt = (path: string, session: Session): Place | undefined =>
  isPlace(path) && isOffered(VIEWS[path], session) ? path : undefined;
