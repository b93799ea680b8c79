import { Page } from '@/components/page';

export default function AuditPage() {
  return <Page title="AuditPage">…</Page>;
}
