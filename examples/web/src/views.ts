import type { Place } from './navigation.ts';
import { client, isReviewer } from './session.ts';
import { accountView } from './views/account/account.ts';
import { forgottenView } from './views/forgotten.ts';
import { loginView } from './views/login.ts';
import { registerDoctorView } from './views/register-doctor.ts';
import { registerPatientView } from './views/register-patient.ts';
import { resetView } from './views/reset.ts';
import { reviewDeskView } from './views/review/desk.ts';

export interface View {
  title: string;
  /** The name in the navigation; undefined if it is not there. */
  name?: string;
  /** A reset link works with or without a login. */
  isFor: 'visitors' | 'accounts' | 'reviewers' | 'everyone';
  content(): HTMLElement[];
}

export const VIEWS: Record<Place, View> = {
  '/login': { title: 'Log in', name: 'Log in', isFor: 'visitors', content: loginView },
  '/forgotten': { title: 'Forgotten password', isFor: 'visitors', content: forgottenView },
  '/reset': { title: 'Choose a new password', isFor: 'everyone', content: resetView },
  '/register/doctor': {
    title: 'Register as a doctor',
    name: 'For doctors',
    isFor: 'visitors',
    content: registerDoctorView,
  },
  '/register/patient': {
    title: 'Register as a patient',
    name: 'For patients',
    isFor: 'visitors',
    content: registerPatientView,
  },
  '/review': { title: 'Review desk', name: 'Review desk', isFor: 'reviewers', content: reviewDeskView },
  '/account': { title: 'Your account', name: 'Your account', isFor: 'accounts', content: accountView },
};

/** Whether a view fits the login state. */
export function isOffered({ isFor }: View): boolean {
  const isLoggedIn = client.token !== null;
  switch (isFor) {
    case 'everyone':
      return true;
    case 'visitors':
      return !isLoggedIn;
    case 'accounts':
      return isLoggedIn;
    case 'reviewers':
      return isLoggedIn && isReviewer();
  }
}
