import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { agentQuery } from '@/api/queries';
import { BackLink } from '@/components/BackLink';
import { Loaded, Page, PageSkeleton } from '@/components/page';
import { AgentEditor } from './AgentEditor';

export default function AgentPage() {
  const { agentId } = useParams({ from: '/shell/agents/$agentId' });
  const agent = useQuery(agentQuery(agentId));
  if (agent.data) return <AgentEditor key={agentId} agent={agent.data} />;
  if (agent.isPending) return <PageSkeleton />;
  return (
    <Page title="Agent" above={<BackLink to="/agents">Agents</BackLink>}>
      <Loaded query={agent}>{() => null}</Loaded>
    </Page>
  );
}
