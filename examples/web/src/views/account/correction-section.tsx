import type { DoctorProfile, OwnAccount } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { SelectField } from '../../form/select-field.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { hasEnded } from '../../session/leave.ts';
import { OPTIONAL_TEXTS, optionalTexts } from '../../ui/profile-texts.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Time } from '../../ui/time.tsx';
import { REVIEWED_LABELS } from '../account-fields.ts';
import { ProposalTable } from '../proposal-table.tsx';
import { PhoneField } from '../register/account-fields.tsx';

const LABELS = {
  name: REVIEWED_LABELS.name,
  phone: 'Telephone',
  dateOfBirth: 'Date of birth',
  specialization: REVIEWED_LABELS.specialization,
  licenseNumber: REVIEWED_LABELS.licenseNumber,
  ...optionalTexts(({ label }) => label),
  language: 'Language of the mails',
};

type Values = typeof LABELS;

/** The gateway does not say which language an account has, so the first option leaves it. */
const LANGUAGES = { '': 'Leave it as it is', en: 'English', de: 'Deutsch' };

const REVIEWED_HINT = 'It changes when a reviewer has approved it.';

interface Properties {
  account: OwnAccount;
  /** Called after a correction. */
  changed(): void;
}

/** Corrects the data of the account, and for a doctor the profile. */
export function CorrectionSection({ account, changed }: Properties) {
  const client = useAuth();
  const { role, profile } = account;
  const [before, setBefore] = useState(() => valuesOf(account));
  const form = useForm({
    labels: LABELS,
    initial: before,
    send: (values, { signal }) => client.updateMyProfile(differing(values, before), { signal }),
    done(corrected) {
      const next = valuesOf(corrected);
      setBefore(next);
      form.reset(next);
      changed();
      announce(
        corrected.profile?.proposal ? 'Saved. A part of it waits for a reviewer.' : 'Your data is saved.',
      );
    },
    handles: hasEnded,
  });
  const hint = profile?.verification.status === 'VERIFIED' ? { hint: REVIEWED_HINT } : {};
  return (
    <section>
      <SectionHead title="Correct your data" />
      <Form form={form} submitText="Save">
        <TextField field={form.field('name')} autoComplete="name" {...hint} />
        <PhoneField field={form.field('phone')} isOptional={role !== 'DOCTOR'} />
        {role !== 'DOCTOR' && (
          <TextField field={form.field('dateOfBirth')} type="date" autoComplete="bday" isOptional />
        )}
        {profile && (
          <>
            <TextField field={form.field('specialization')} {...hint} />
            <TextField field={form.field('licenseNumber')} {...hint} />
            {OPTIONAL_TEXTS.map(({ name, isLong }) => (
              <TextField key={name} field={form.field(name)} isOptional isLong={isLong} />
            ))}
          </>
        )}
        <SelectField field={form.field('language')} options={LANGUAGES} />
      </Form>
    </section>
  );
}

/** The values of the form: what a doctor has proposed stands in the place of what counts until then. */
function valuesOf({ name, phone, dateOfBirth, profile }: OwnAccount): Values {
  const proposal = profile?.proposal;
  return {
    name: proposal?.name ?? name,
    phone: phone ?? '',
    dateOfBirth: dateOfBirth ?? '',
    specialization: proposal?.specialization ?? profile?.specialization ?? '',
    licenseNumber: proposal?.licenseNumber ?? profile?.licenseNumber ?? '',
    ...optionalTexts(({ name: text }) => profile?.[text] ?? ''),
    language: '',
  };
}

/**
 * What the user has changed; null for what is empty now. The rest is not sent: it would take back what was changed elsewhere, or
 * decided on, since the page was opened.
 */
const differing = (values: Values, before: Values): { [field in keyof Values]?: string | null } =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([field, value]) => value !== before[field as keyof Values])
      .map(([field, value]) => [field, value || null]),
  );

/** Shows a doctor what waits for a reviewer. */
export const ProposalBanner = ({ name, profile }: { name: string; profile: DoctorProfile }) =>
  profile.proposal && (
    <section className="banner pending">
      <SectionHead title="Your correction waits for a reviewer" />
      <p>
        You sent it on <Time iso={profile.proposal.submittedAt} />. Until somebody has approved it, the
        current values count.
      </p>
      <ProposalTable name={name} profile={profile} />
    </section>
  );
