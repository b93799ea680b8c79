/** The names by which commands and clients call things. */

/** The name a title suggests. */
export function slug(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
}

export function nameProblem(name: string): string | null {
  if (!name) return 'It needs a name';
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64)
    return 'Lower-case letters, digits and single hyphens, at most 64';
  return null;
}
