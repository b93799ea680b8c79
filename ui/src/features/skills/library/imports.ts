/** Puts dropped bundles into the library: archives as they are, folders file by file. */
import { ApiError, api, call, fetchRaw, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { type Bundle, base64, type Dropped } from './dropped';

/** What became of one skill of an import. */
export type Imported = {
  /** What it is called where it came from. */
  label: string;
  result?: Schemas['PublishedView'];
  problem?: { code: string; detail: string };
  findings: Schemas['FindingView'][];
};

export type OnConflict = Schemas['OnConflictWord'];

/** How many bytes of folders are sent at once; the server reads 32 MiB, and base64 is a third longer. */
const BATCH_BYTES = 12_000_000;

export async function importAll(dropped: Dropped, onConflict: OnConflict): Promise<Imported[]> {
  const outcome: Imported[] = [];
  try {
    for (const archive of dropped.archives) outcome.push(...(await importArchive(archive, onConflict)));
    for (const batch of batches(dropped.bundles)) outcome.push(...(await importFolders(batch, onConflict)));
  } finally {
    await refresh('skills', 'audit');
  }
  return outcome;
}

async function importArchive(archive: File, onConflict: OnConflict): Promise<Imported[]> {
  const query = new URLSearchParams({ mode: 'each', on_conflict: onConflict, source: archive.name });
  try {
    const response = await fetchRaw(`/api/v1/skills/import?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/zip' },
      body: archive,
    });
    const { folders, results, findings } = (await response.json()) as Schemas['ImportView'];
    const each = results.map((result, at) => outcomeOf(folders[at] || archive.name, result));
    return findings.length > 0 || each.length === 0
      ? [{ label: archive.name, findings, ...(each.length === 0 && { problem: none }) }, ...each]
      : each;
  } catch (error) {
    return [refused(archive.name, error)];
  }
}

const none = { code: 'empty', detail: 'there is no SKILL.md in it' };

async function importFolders(bundles: Bundle[], onConflict: OnConflict): Promise<Imported[]> {
  const label = (at: number) => bundles[at]?.folder ?? 'SKILL.md';
  try {
    const items = await Promise.all(
      bundles.map(async ({ folder, files }) => ({
        folder,
        origin: 'imported' as const,
        on_conflict: onConflict,
        files: await Promise.all(
          files.map(async ({ path, file }) => ({ path, content_base64: await base64(file) })),
        ),
      })),
    );
    const { results } = await call(api.POST('/api/v1/skills/bulk', { body: { mode: 'each', items } }));
    return results.map((result, at) => outcomeOf(label(at), result));
  } catch (error) {
    return bundles.map((_, at) => refused(label(at), error));
  }
}

function outcomeOf(label: string, { published, problem }: Schemas['BulkResultView']): Imported {
  return {
    label: published?.skill.title || published?.skill.name || label,
    result: published ?? undefined,
    problem: problem ?? undefined,
    findings: published?.findings ?? problem?.findings ?? [],
  };
}

function refused(label: string, error: unknown): Imported {
  if (!(error instanceof ApiError)) throw error;
  return { label, problem: { code: error.code, detail: error.message }, findings: error.findings };
}

function* batches(bundles: Bundle[]): Generator<Bundle[]> {
  let batch: Bundle[] = [];
  let size = 0;
  for (const bundle of bundles) {
    const bytes = bundle.files.reduce((sum, { file }) => sum + file.size, 0);
    if (batch.length > 0 && (size + bytes > BATCH_BYTES || batch.length === 500)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(bundle);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}
