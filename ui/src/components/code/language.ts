/** Which language a file is written in. */

export type Language = 'markdown' | 'python' | 'javascript' | 'yaml' | 'json' | 'text';

export function languageOf(path: string): Language {
  const known: Record<string, Language> = {
    md: 'markdown',
    markdown: 'markdown',
    py: 'python',
    js: 'javascript',
    mjs: 'javascript',
    ts: 'javascript',
    yaml: 'yaml',
    yml: 'yaml',
    json: 'json',
  };
  return known[path.split('.').pop()?.toLowerCase() ?? ''] ?? 'text';
}
