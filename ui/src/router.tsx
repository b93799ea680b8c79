/** Every address of the app. Pages are loaded when they are first opened. */
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError, chosenWorkspace, forgetWorkspace, type Schemas } from './api/client';
import { meQuery, queryClient } from './api/queries';
import { Failure, PageSkeleton } from './components/page';
import { readBenchSearch, readDecisionSearch } from './features/governance/search';
import { readSessionSearch } from './features/sessions/search';
import { readLibrarySearch } from './features/skills/search';
import { NotFound } from './shell/NotFound';
import { Shell } from './shell/Shell';
import { keepTypedOf } from './shell/typed';

const root = createRootRouteWithContext()({
  component: Outlet,
  errorComponent: ({ error }) => <Failure error={error} retry={() => window.location.reload()} />,
});

const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string; problem?: string } => ({
    next: text(search.next),
    problem: text(search.problem),
  }),
  component: lazyRouteComponent(() => import('./features/sign-in/SignInPage')),
});

/** Who is signed in. A remembered workspace that is gone, or that one was put out of, gives way to that of the sign-in. */
async function signedIn(): Promise<Schemas['MeView']> {
  try {
    return await queryClient.ensureQueryData(meQuery);
  } catch (error) {
    const outside = error instanceof ApiError && [403, 404].includes(error.status);
    if (!outside || !chosenWorkspace()) throw error;
    forgetWorkspace();
    return await queryClient.fetchQuery(meQuery);
  }
}

/** Everything behind it needs somebody who is signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      keepTypedOf((await signedIn()).user.id);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({
          to: '/sign-in',
          search: { next: location.href === '/' ? undefined : location.href },
        });
      }
      throw error;
    }
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/skills', replace: true });
  },
});

const library = createRoute({
  getParentRoute: () => shell,
  path: '/skills',
  validateSearch: readLibrarySearch,
  component: lazyRouteComponent(() => import('./features/skills/LibraryPage')),
});

const newSkill = createRoute({
  getParentRoute: () => shell,
  path: '/skills/new',
  validateSearch: (search): { from?: string } => ({ from: text(search.from) }),
  component: lazyRouteComponent(() => import('./features/skills/NewSkillPage')),
});

const skill = createRoute({
  getParentRoute: () => shell,
  path: '/skills/$skillId',
  component: lazyRouteComponent(() => import('./features/skills/SkillPage')),
});

const skillInfo = createRoute({
  getParentRoute: () => skill,
  path: '/',
  component: lazyRouteComponent(() => import('./features/skills/info/InfoTab')),
});

const skillContent = createRoute({
  getParentRoute: () => skill,
  path: '/content',
  validateSearch: (search): { file?: string } => ({ file: text(search.file) }),
  component: lazyRouteComponent(() => import('./features/skills/content/ContentTab')),
});

const skillCode = createRoute({
  getParentRoute: () => skill,
  path: '/code',
  component: lazyRouteComponent(() => import('./features/skills/code/CodeTab')),
});

const skillPolicy = createRoute({
  getParentRoute: () => skill,
  path: '/policy',
  component: lazyRouteComponent(() => import('./features/skills/policy/PolicyTab')),
});

const skillHistory = createRoute({
  getParentRoute: () => skill,
  path: '/history',
  validateSearch: (search): { from?: number; to?: number } => ({
    from: typeof search.from === 'number' ? search.from : undefined,
    to: typeof search.to === 'number' ? search.to : undefined,
  }),
  component: lazyRouteComponent(() => import('./features/skills/history/HistoryTab')),
});

const skillUsage = createRoute({
  getParentRoute: () => skill,
  path: '/usage',
  validateSearch: (search): { status?: string; run?: string } => ({
    status: text(search.status),
    run: text(search.run),
  }),
  component: lazyRouteComponent(() => import('./features/skills/usage/UsageTab')),
});

const skillSync = createRoute({
  getParentRoute: () => skill,
  path: '/sync',
  component: lazyRouteComponent(() => import('./features/skills/sync/SyncTab')),
});

const review = createRoute({
  getParentRoute: () => shell,
  path: '/review',
  validateSearch: (search): { skill?: string; show?: 'pending' | 'drafts' | 'promotions' } => ({
    skill: text(search.skill),
    show:
      search.show === 'pending' || search.show === 'drafts' || search.show === 'promotions'
        ? search.show
        : undefined,
  }),
  component: lazyRouteComponent(() => import('./features/reviews/ReviewPage')),
});

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  validateSearch: readSessionSearch,
  component: lazyRouteComponent(() => import('./features/sessions/ConversationsPage')),
});

const conversation = createRoute({
  getParentRoute: () => shell,
  path: '/conversations/$sessionId',
  component: lazyRouteComponent(() => import('./features/sessions/ConversationPage')),
});

const agents = createRoute({
  getParentRoute: () => shell,
  path: '/agents',
  component: lazyRouteComponent(() => import('./features/agents/AgentsPage')),
});

const newAgent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/new',
  component: lazyRouteComponent(() => import('./features/agents/NewAgentPage')),
});

const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$agentId',
  validateSearch: (search): { tab?: string } => ({ tab: text(search.tab) }),
  component: lazyRouteComponent(() => import('./features/agents/AgentPage')),
});

const governance = createRoute({
  getParentRoute: () => shell,
  path: '/governance',
  component: lazyRouteComponent(() => import('./features/governance/GovernancePage')),
});

const policies = createRoute({
  getParentRoute: () => governance,
  path: '/',
  validateSearch: (search): { agent?: string } => ({ agent: text(search.agent) }),
  component: lazyRouteComponent(() => import('./features/governance/PoliciesTab')),
});

const decisions = createRoute({
  getParentRoute: () => governance,
  path: '/decisions',
  validateSearch: readDecisionSearch,
  component: lazyRouteComponent(() => import('./features/governance/DecisionsTab')),
});

const bench = createRoute({
  getParentRoute: () => governance,
  path: '/bench',
  validateSearch: readBenchSearch,
  component: lazyRouteComponent(() => import('./features/governance/BenchTab')),
});

const analytics = createRoute({
  getParentRoute: () => shell,
  path: '/analytics',
  validateSearch: (search): { days?: number; agent?: string } => ({
    days: typeof search.days === 'number' ? search.days : undefined,
    agent: text(search.agent),
  }),
  component: lazyRouteComponent(() => import('./features/analytics/AnalyticsPage')),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: (search): AuditSearch => ({
    entry: typeof search.entry === 'number' ? search.entry : undefined,
    verb: text(search.verb),
    kind: text(search.kind),
    subject: text(search.subject),
    user: text(search.user),
  }),
  component: lazyRouteComponent(() => import('./features/audit/AuditPage')),
});

export type AuditSearch = { verb?: string; kind?: string; subject?: string; user?: string; entry?: number };

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('./features/settings/SettingsPage')),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./features/settings/ProfileTab')),
});

const users = createRoute({
  getParentRoute: () => settings,
  path: '/users',
  component: lazyRouteComponent(() => import('./features/settings/UsersTab')),
});

const tokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  validateSearch: (search): { agent?: string } => ({ agent: text(search.agent) }),
  component: lazyRouteComponent(() => import('./features/settings/TokensTab')),
});

const workspace = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyRouteComponent(() => import('./features/settings/WorkspaceTab')),
});

const system = createRoute({
  getParentRoute: () => settings,
  path: '/system',
  component: lazyRouteComponent(() => import('./features/settings/SystemTab')),
});

/** Inside the shell, so that the way on is at hand. */
const elsewhere = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound });

const routes = root.addChildren([
  signIn,
  shell.addChildren([
    home,
    library,
    newSkill,
    skill.addChildren([skillInfo, skillContent, skillCode, skillPolicy, skillHistory, skillUsage, skillSync]),
    review,
    conversations,
    conversation,
    agents,
    newAgent,
    agent,
    governance.addChildren([policies, decisions, bench]),
    analytics,
    audit,
    settings.addChildren([profile, users, tokens, workspace, system]),
    elsewhere,
  ]),
]);

export const router = createRouter({
  routeTree: routes,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
