import type { MailTexts } from './en.ts';

/** The texts of all mails in German. en.ts explains the placeholders. */
export const de: MailTexts = {
  lang: 'de',
  dir: 'ltr',
  dates: 'de',
  on: ' am {date} um {time}',
  greeting: 'Guten Tag,',
  login: 'Anmelden',
  'password reset': {
    subject: 'Wählen Sie ein neues Passwort',
    asked:
      'für Ihr Konto bei {host} wurde ein neues Passwort angefordert. Wenn Sie das waren, öffnen Sie diesen Link und wählen Sie ein neues Passwort. Der Link funktioniert einmal und ist {minutes} Minuten lang gültig.',
    unexpected: 'Wenn Sie das nicht waren, brauchen Sie nichts zu tun. Ihr Passwort bleibt, wie es ist.',
    link: 'Neues Passwort wählen',
  },
  'e-mail proof': {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    asked:
      'bei {host} gibt es ein Konto mit dieser E-Mail-Adresse. Wenn es Ihres ist, öffnen Sie diesen Link und bestätigen Sie die Adresse. Der Link funktioniert einmal und ist {hours} Stunden lang gültig.',
    unexpected: 'Wenn es nicht Ihres ist, bestätigen Sie die Adresse nicht.',
    link: 'E-Mail-Adresse bestätigen',
  },
  'e-mail change': {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    asked:
      'jemand möchte diese E-Mail-Adresse für ein Konto bei {host} verwenden. Wenn Sie das waren, öffnen Sie diesen Link und bestätigen Sie die Adresse. Der Link funktioniert einmal und ist {hours} Stunden lang gültig.',
    unexpected:
      'Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ohne den Link bekommt kein Konto Ihre Adresse.',
    link: 'E-Mail-Adresse bestätigen',
  },
  'e-mail change requested': {
    subject: 'Eine neue E-Mail-Adresse für Ihr Konto',
    requested:
      'jemand, der bei Ihrem Konto bei {host} angemeldet ist, hat{on} eine andere E-Mail-Adresse angefordert. Das Konto bekommt sie, sobald der Link benutzt wird, der an die neue Adresse geschickt wurde.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort: Das stoppt die Änderung.',
  },
  'e-mail in use': {
    subject: 'Sie haben bereits ein Konto',
    wanted:
      'jemand wollte diese E-Mail-Adresse für ein anderes Konto bei {host} verwenden. Sie haben damit bereits ein Konto, daher wurde nichts geändert.',
    unexpected:
      'Wenn Sie das waren, melden Sie sich mit dieser Adresse an. Fordern Sie ein neues Passwort an, wenn Sie Ihres vergessen haben. Wenn Sie das nicht waren, brauchen Sie nichts zu tun.',
  },
  unproven: {
    stranger:
      'Noch hat niemand bestätigt, dass diese E-Mail-Adresse zu dem Konto gehört. Wenn Sie sich bei {host} nicht registriert haben, hat jemand anderes Ihre Adresse benutzt.',
    reset:
      'Fordern Sie auf der Anmeldeseite mit dieser Adresse ein neues Passwort an und wählen Sie eines über den Link, den Sie bekommen: Damit endet der Zugang aller anderen, und Sie können das Konto schließen.',
    resetHere:
      'Wählen Sie über den Link in dieser Nachricht ein neues Passwort: Damit endet der Zugang aller anderen, und Sie können das Konto schließen.',
    former: 'Das Konto hat diese Adresse nicht mehr, Sie brauchen also nichts zu tun.',
  },
  'password changed': {
    subject: 'Ihr Passwort wurde geändert',
    changed: 'das Passwort Ihres Kontos bei {host} wurde{on} geändert.',
    passkeys:
      'Passkeys, mit denen man sich noch anmelden kann: {passkeys}. Sehen Sie nach, ob alle Ihnen gehören, und entfernen Sie die anderen.',
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
  'new device': {
    subject: 'Anmeldung mit einem anderen Gerät',
    loggedIn:
      'jemand hat sich{on} bei Ihrem Konto bei {host} mit einem Gerät angemeldet, das das Konto noch nicht kannte: {device}.',
    named: '{browser} auf {system}',
    unknown: 'ein unbekanntes Programm',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und wählen Sie eines über den Link, den Sie bekommen: Damit enden alle Sitzungen.',
  },
  'second factor added': {
    subject: 'Die Zwei-Faktor-Anmeldung ist eingeschaltet',
    told: 'zu Ihrem Konto bei {host} wurde{on} eine Authenticator-App hinzugefügt. Von nun an wird bei jeder Anmeldung ihr Code verlangt, und alle anderen Sitzungen sind beendet. Bewahren Sie die Wiederherstellungscodes auf: Mit jedem können Sie sich einmal anmelden, wenn Sie die App verlieren.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'second factor replaced': {
    subject: 'Ihre Authenticator-App wurde ersetzt',
    told: 'die Authenticator-App Ihres Kontos bei {host} wurde{on} ersetzt. Die bisherige App und die bisherigen Wiederherstellungscodes funktionieren nicht mehr, und alle anderen Sitzungen sind beendet.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'second factor removed': {
    subject: 'Die Zwei-Faktor-Anmeldung ist ausgeschaltet',
    told: 'die Authenticator-App und die Wiederherstellungscodes Ihres Kontos bei {host} wurden{on} entfernt. Für eine Anmeldung genügt jetzt das Passwort.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'second factor reset': {
    subject: 'Die Zwei-Faktor-Anmeldung wurde entfernt',
    told: 'die Authenticator-App, die Passkeys, die Wiederherstellungscodes und das Passwort Ihres Kontos bei {host} wurden{on} vom Betreiber des Dienstes entfernt, und alle Sitzungen sind beendet. Mit einem Link des Betreibers oder auf der Anmeldeseite wählen Sie ein neues Passwort. Fügen Sie danach wieder eine Authenticator-App oder einen Passkey hinzu.',
    unexpected: 'Wenn Sie das nicht verlangt haben, sagen Sie es sofort dem Betreiber des Dienstes.',
  },
  'new recovery codes': {
    subject: 'Neue Wiederherstellungscodes',
    told: 'für Ihr Konto bei {host} wurden{on} neue Wiederherstellungscodes erstellt. Die bisherigen funktionieren nicht mehr.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'recovery code used': {
    subject: 'Ein Wiederherstellungscode wurde benutzt',
    told: 'jemand hat sich{on} mit einem Wiederherstellungscode bei Ihrem Konto bei {host} angemeldet oder damit eine Änderung bestätigt. Sie haben noch {left}.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'few recovery codes': {
    subject: 'Sie haben nur noch wenige Wiederherstellungscodes',
    told: 'ein Wiederherstellungscode Ihres Kontos bei {host} wurde{on} benutzt, und zwei sind übrig. Melden Sie sich an und erstellen Sie neue, damit Sie Ihr Konto nicht verlieren, wenn Sie Ihre Authenticator-App verlieren.',
    unexpected:
      'Wenn Sie die App schon verloren haben, melden Sie sich mit einem Wiederherstellungscode an und fügen Sie die App neu hinzu.',
  },
  'wrong codes': {
    subject: 'Falsche Codes bei Ihrem Konto',
    told: 'jemand, der das Passwort Ihres Kontos bei {host} kennt, hat{on} dreimal hintereinander einen falschen Code gesendet. Ohne einen richtigen Code kommt niemand hinein.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an: Jemand kennt Ihres.',
  },
  'passkey added': {
    subject: 'Ein Passkey wurde hinzugefügt',
    told: 'zu Ihrem Konto bei {host} wurde{on} ein Passkey hinzugefügt. Wer das Gerät hat, kann sich damit durch einen Fingerabdruck, ein Gesicht oder eine PIN anmelden.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, melden Sie sich an, entfernen Sie den Passkey, wählen Sie sofort ein neues Passwort und bitten Sie den Betreiber des Dienstes um Hilfe.',
  },
  'passkey removed': {
    subject: 'Ein Passkey wurde entfernt',
    told: 'ein Passkey Ihres Kontos bei {host} wurde{on} entfernt. Niemand kann sich damit noch anmelden. Sitzungen, die damit begonnen wurden, sind nicht beendet.',
    unexpected:
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn Sie das nicht waren, fordern Sie sofort auf der Anmeldeseite ein neues Passwort an und bitten Sie den Betreiber des Dienstes um Hilfe.',
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
    again: 'Bitte senden Sie noch einmal: {documents}. Alles andere bleibt.',
    documents: { license: 'die Approbation', diploma: 'das Diplom', certification: 'die Facharzturkunde' },
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
