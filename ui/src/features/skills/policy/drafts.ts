/** A policy as somebody wants it, put to the server before it is saved. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, api, call, type Schemas } from '@/api/client';
import { queryClient } from '@/api/queries';
import { fileTextQuery } from '../files';
import { SIDECAR } from './source';

type Skill = Schemas['SkillDetailView'];
type FileRequest = Schemas['FileRequest'];

export const isTable = (path: string) => /^tests\/.+\.ya?ml$/.test(path);

/** The files that a policy is judged by: the manifest, the sidecar as it is wanted, the code it declares, its tables. */
async function filesWith(skill: Skill, sidecar: string): Promise<FileRequest[]> {
  const beside = skill.files
    .map(({ path }) => path)
    .filter((path) => path === 'SKILL.md' || path === skill.procedure?.file || isTable(path));
  const read = beside.map(
    async (path): Promise<FileRequest> => ({
      path,
      content: await queryClient.ensureQueryData(fileTextQuery(skill.id, path, skill.shown.number)),
    }),
  );
  return [...(await Promise.all(read)), { path: SIDECAR, content: sidecar }];
}

export type Wanted = { skill: Skill; sidecar: string; remove: boolean };

async function proposal({ skill, sidecar, remove }: Wanted) {
  if (remove) return { skill_id: skill.id, remove: true };
  return { skill_id: skill.id, files: await filesWith(skill, sidecar) };
}

type Analysis = Schemas['AnalysisView'];
export type Analysed = {
  analysis: Analysis | null;
  refused: string | null;
  findings: Schemas['FindingView'][];
};

/** What it would change, and what is found in it; content that is refused is an answer as well. */
export const analysisQuery = (wanted: Wanted) =>
  queryOptions({
    queryKey: ['skills', 'analyse', wanted.skill.id, wanted.skill.version, wanted.sidecar, wanted.remove],
    queryFn: async (): Promise<Analysed> => {
      try {
        const body = await proposal(wanted);
        const analysis = await call(api.POST('/api/v1/governance/analyse', { body }));
        return { analysis, refused: null, findings: analysis.findings };
      } catch (error) {
        if (error instanceof ApiError && error.status === 422) {
          return { analysis: null, refused: error.message, findings: error.findings };
        }
        throw error;
      }
    },
    placeholderData: keepPreviousData,
  });

export const testsQuery = (skill: Skill, sidecar: string) =>
  queryOptions({
    queryKey: ['skills', 'policy-tests', skill.id, skill.version, sidecar],
    queryFn: async () =>
      call(api.POST('/api/v1/governance/test', { body: { files: await filesWith(skill, sidecar) } })),
    placeholderData: keepPreviousData,
  });

export async function replay(wanted: Wanted, since: string | undefined): Promise<Schemas['ReplayView']> {
  const body = { ...(await proposal(wanted)), since: since ?? null };
  return call(api.POST('/api/v1/governance/replay', { body }));
}
