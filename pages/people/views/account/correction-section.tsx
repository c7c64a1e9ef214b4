import type { DoctorProfile, OwnAccount } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { SelectField } from '../../form/select-field.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { LANGUAGE_NAMES, timeText, useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { hasEnded } from '../../session/leave.ts';
import { OPTIONAL_TEXTS, optionalTexts } from '../../ui/profile-texts.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { ProposalTable } from '../proposal-table.tsx';
import { PhoneField } from '../register/account-fields.tsx';

type Values = ReturnType<typeof valuesOf>;

interface Properties {
  account: OwnAccount;
  /** Called after a correction. */
  changed(): void;
}

/** Corrects the data of the account, and for a doctor the profile. */
export function CorrectionSection({ account, changed }: Properties) {
  const client = useAuth();
  const { role, profile } = account;
  const { correction, fields, hints } = useTexts();
  const [before, setBefore] = useState(() => valuesOf(account));
  const form = useForm({
    labels: {
      name: fields.name,
      phone: fields.phone,
      dateOfBirth: fields.dateOfBirth,
      specialization: fields.specialization,
      licenseNumber: fields.licenseNumber,
      ...optionalTexts((name) => fields[name]),
      language: fields.language,
    },
    initial: before,
    send: (values, { signal }) => client.updateMyProfile(differing(values, before), { signal }),
    done(corrected) {
      const next = valuesOf(corrected);
      setBefore(next);
      form.reset(next);
      changed();
      const isPart = Boolean(corrected.profile?.proposal);
      announce(({ correction: { partWaits, saved } }) => (isPart ? partWaits : saved));
    },
    handles: hasEnded,
  });
  const isReviewed = ['VERIFIED', 'EXPIRED'].includes(profile?.verification.status ?? '');
  const hint = isReviewed ? { hint: hints.reviewed } : {};
  // The gateway does not say which language an account has, so the first option leaves it.
  const languages = { '': correction.leaveLanguage, ...LANGUAGE_NAMES };
  return (
    <section>
      <SectionHead title={correction.title} />
      <Form form={form} submitText={correction.save}>
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
        <SelectField field={form.field('language')} options={languages} />
      </Form>
    </section>
  );
}

/** The values of the form: what a doctor has proposed stands in the place of what counts until then. */
function valuesOf({ name, phone, dateOfBirth, profile }: OwnAccount) {
  const proposal = profile?.proposal;
  return {
    name: proposal?.name ?? name,
    phone: phone ?? '',
    dateOfBirth: dateOfBirth ?? '',
    specialization: proposal?.specialization ?? profile?.specialization ?? '',
    licenseNumber: proposal?.licenseNumber ?? profile?.licenseNumber ?? '',
    ...optionalTexts((text) => profile?.[text] ?? ''),
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
export function ProposalBanner({ name, profile }: { name: string; profile: DoctorProfile }) {
  const { correction, resubmission } = useTexts();
  const { proposal } = profile;
  const hasTexts = proposal?.name || proposal?.specialization || proposal?.licenseNumber;
  return (
    proposal && (
      <section className="banner pending">
        <SectionHead title={proposal.hasDocuments ? resubmission.waits : correction.waits} />
        <p>{correction.sentOn(timeText(proposal.submittedAt))}</p>
        {hasTexts && <ProposalTable name={name} profile={profile} />}
      </section>
    )
  );
}
