import type { MailTexts } from './en.ts';

/** The texts of all mails in German. en.ts explains the placeholders. */
export const de: MailTexts = {
  lang: 'de',
  dir: 'ltr',
  dates: 'de',
  on: ' am {date} um {time}',
  greeting: 'Guten Tag,',
  'password reset': {
    subject: 'Wählen Sie ein neues Passwort',
    asked:
      'für Ihr Konto bei {host} wurde ein neues Passwort angefordert. Wenn Sie das waren, öffnen Sie diesen Link und wählen Sie ein neues Passwort. Der Link funktioniert einmal und ist {minutes} Minuten lang gültig.',
    unexpected: 'Wenn Sie das nicht waren, brauchen Sie nichts zu tun. Ihr Passwort bleibt, wie es ist.',
    link: 'Neues Passwort wählen',
  },
  'password changed': {
    subject: 'Ihr Passwort wurde geändert',
    changed: 'das Passwort Ihres Kontos bei {host} wurde{on} geändert.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes sofort um Hilfe: Möglicherweise hat jemand anderes Ihr Konto benutzt.',
  },
  'e-mail changed': {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    former:
      'Ihr Konto bei {host} hat jetzt eine andere E-Mail-Adresse. Die Adresse wurde{on} geändert. Mit der bisherigen Adresse, an die diese Nachricht geht, können Sie sich nicht mehr anmelden.',
    present:
      'Ihr Konto bei {host} hat jetzt diese E-Mail-Adresse. Die Adresse wurde{on} geändert. Melden Sie sich von nun an mit dieser Adresse an.',
    unexpected: 'Wenn Sie das nicht veranlasst haben, bitten Sie den Betreiber des Dienstes sofort um Hilfe.',
  },
  'doctor decided': {
    subject: 'Ihre Registrierung als Ärztin oder Arzt wurde geprüft',
    reviewed: 'die Unterlagen zu Ihrem Konto bei {host} wurden{on} geprüft. {decision}',
    subjectOfCorrection: 'Die Berichtigung Ihrer Daten wurde geprüft',
    corrected: 'die Berichtigung Ihrer Daten bei {host} wurde{on} geprüft. {decision}',
    decisions: {
      verified: 'Die Unterlagen wurden anerkannt: Ihr Konto ist jetzt verifiziert.',
      rejected: 'Die Unterlagen wurden nicht anerkannt. Sie können neue Unterlagen einreichen.',
      suspended: 'Ihre Verifizierung ist ausgesetzt.',
      'correction approved': 'Sie wurde angenommen.',
      'correction rejected':
        'Sie wurde nicht angenommen. Ihre Daten bleiben, wie sie waren, und Sie sind weiterhin verifiziert.',
    },
    wrote: 'Anmerkung aus der Prüfung: {reason}',
    state: 'Melden Sie sich an, um den Stand Ihres Kontos zu sehen.',
  },
  'account closed': {
    subject: 'Ihr Konto wurde geschlossen',
    closed: 'Ihr Konto bei {host} wurde{on} geschlossen. Niemand kann sich mehr damit anmelden.',
    erased: 'Alle Daten des Kontos werden gelöscht.',
    erasedOn:
      'Alle Daten des Kontos werden{on} gelöscht. Bis dahin kann der Betreiber des Dienstes das Konto wieder öffnen.',
    unexpected:
      'Wenn nicht Sie selbst das Konto geschlossen haben, bitten Sie den Betreiber des Dienstes sofort um Hilfe.',
  },
  test: {
    subject: 'Testnachricht des Auth-Gateways',
    nothing:
      'Der Betreiber des Auth-Gateways prüft mit dieser Nachricht, ob E-Mails ankommen. Sie brauchen nichts zu tun.',
  },
};
