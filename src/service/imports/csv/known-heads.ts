// Members by the heads that German and English files of people and accounts have. A table for
// `--suggest-map`: a person reads and corrects what it suggests.

/** Heads without case, blanks and punctuation, separated by blanks, by member. */
type Heads = Readonly<Record<string, string>>;

const IDENTITIES: Heads = {
  id: 'id identityid personalnummer personalnr persnr persnummer mitarbeiternummer mitarbeiternr manr mitarbeiterid employeeid employeenumber employeeno empid staffid staffnumber personid personnelnumber',
  name: 'username benutzername benutzer benutzerkennung login loginname anmeldename kennung samaccountname userid uid alias',
  displayName: 'displayname anzeigename fullname vollername vollstandigername name namen',
  firstName: 'firstname givenname vorname rufname forename',
  lastName: 'lastname surname familyname nachname familienname zuname',
  email: 'email emailaddress emailadresse mail mailaddress mailadresse',
  phone:
    'phone phonenumber telephone telephonenumber telefon telefonnummer telefonnr tel mobil mobile handy',
  inactive: 'inactive inaktiv ausgetreten terminated',
  'attributes.department': 'department dept abteilung fachbereich bereich organisationseinheit oe',
  'attributes.jobTitle':
    'jobtitle title position function funktion stelle stellenbezeichnung berufsbezeichnung tatigkeit rolle',
  'attributes.city': 'city ort stadt standort location site arbeitsort',
  'attributes.country': 'country land',
  'attributes.company': 'company firma unternehmen gesellschaft buchungskreis',
  'attributes.costCenter': 'costcenter costcentre kostenstelle kst',
  'attributes.startDate':
    'startdate hiredate entrydate joined eintritt eintrittsdatum einstellungsdatum beginn',
  'attributes.endDate':
    'enddate leavedate exitdate terminationdate austritt austrittsdatum ende vertragsende',
  'attributes.birthday': 'birthday birthdate dateofbirth geburtsdatum geburtstag',
  'attributes.employmentType':
    'employmenttype contracttype beschaftigungsart vertragsart mitarbeiterart',
  'attributes.status': 'status',
  'manager.name':
    'manager managername supervisor linemanager vorgesetzter vorgesetzte fuhrungskraft leiter teamleiter teamleitung',
  'manager.id':
    'managerid supervisorid vorgesetzterid personalnummervorgesetzter personalnummerfuhrungskraft',
};

const ACCOUNTS: Heads = {
  id: 'accountid kontoid accountuuid',
  name: 'account accountname konto kontoname login loginname benutzername username samaccountname kennung anmeldename',
  'source.name':
    'source sourcename system quelle zielsystem application anwendung applikation directory verzeichnis',
  disabled: 'disabled deaktiviert gesperrt inaktiv',
  locked: 'locked ausgesperrt',
  privileged: 'privileged privilegiert admin',
  created: 'created angelegt angelegtam erstellt erstelltam',
  passwordLastSet: 'passwordlastset kennwortgeandert passwortgeandert',
  'accountAttributes.lastLogin': 'lastlogin lastlogon letzteanmeldung letzterlogin',
};

const AUTH_USERS: Heads = {
  id: IDENTITIES['id'] ?? '',
  uid: IDENTITIES['name'] ?? '',
  displayName: IDENTITIES['displayName'] ?? '',
  firstname: IDENTITIES['firstName'] ?? '',
  lastname: IDENTITIES['lastName'] ?? '',
  email: IDENTITIES['email'] ?? '',
  workPhone: IDENTITIES['phone'] ?? '',
  capabilities: 'capabilities capability levels level rechte berechtigungen rollen',
};

const TABLES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries({ identities: IDENTITIES, accounts: ACCOUNTS, 'auth users': AUTH_USERS }).map(
    ([name, heads]) => [name, byHead(heads)],
  ),
);

/**
 * The member that a head names; null if no table has it.
 * @param target `identities`, `accounts` or `auth users`
 */
export function memberOfHead(head: string, target: string): string | null {
  return TABLES.get(target)?.get(plainHead(head)) ?? null;
}

/** The members that heads are suggested as. @param target as `memberOfHead` */
export function knownMembers(target: string): readonly string[] {
  return [...new Set(TABLES.get(target)?.values() ?? [])];
}

/** A head without case, accents, blanks and punctuation. */
export function plainHead(head: string): string {
  return head
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase();
}

function byHead(heads: Heads): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(heads).flatMap(([member, names]) =>
      names.split(' ').map((name): [string, string] => [name, member]),
    ),
  );
}
