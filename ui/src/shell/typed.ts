/** What somebody typed is kept in the tab; the next one who signs in there must not see it. */
const USER_KEY = 'repertoire-user';

export function forgetTyped(): void {
  sessionStorage.clear();
}

/** Forgets what was typed by anybody else than this user. */
export function keepTypedOf(user: string): void {
  if (sessionStorage.getItem(USER_KEY) === user) return;
  forgetTyped();
  sessionStorage.setItem(USER_KEY, user);
}
