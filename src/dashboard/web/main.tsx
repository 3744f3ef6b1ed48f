/** The frame around every page: where one is, how the cluster is, and the page itself. */
import { render } from 'preact';
import { PICTURE_RULES } from '../../export/picture/rules.js';
import type { ClusterSummary } from '../api.js';
import { CapacityPage } from './pages/capacity.js';
import { FleetPage, healthOf, syncOf } from './pages/fleet.js';
import { HealthPage } from './pages/health.js';
import { HistoryPage } from './pages/history.js';
import { MapPage } from './pages/map.js';
import { PlanPage } from './pages/plan.js';
import { RehearsalPage } from './pages/rehearsal.js';
import { RunPage } from './pages/run.js';
import { SignIn } from './pages/sign-in.js';
import { UpgradePage } from './pages/upgrade.js';
import { VolumesPage } from './pages/volumes.js';
import { clockTime } from './parts/format.js';
import { Failure, Loading } from './parts/notice.js';
import { type Level, Status } from './parts/status.js';
import { focusHeading, keepFocus } from './state/focus.js';
import { address, PAGES, place } from './state/router.js';
import { connected, current, failure, fleet, mayWrite, start, view } from './state/store.js';
import './style.css';

function App() {
  const { cluster } = place.value;
  if (failure.value?.code === 'ui.sign-in') return <SignIn command={failure.value.advice ?? ''} />;
  if (failure.value)
    return (
      <main>
        <h1 tabIndex={-1}>oxherd</h1>
        <Failure error={failure.value} />
      </main>
    );
  if (!fleet.value)
    return (
      <main>
        <h1 tabIndex={-1}>oxherd</h1>
        <Loading what="the clusters" />
      </main>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link, which screen readers list as one */}
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The address after # names the page that is shown.
          event.preventDefault();
          focusHeading('card');
        }}
      >
        Skip to the content
      </a>
      <TopBar />
      <main id="main">
        {cluster === undefined || !current.value ? (
          <>
            <h1 tabIndex={-1}>Fleet</h1>
            <FleetPage fleet={fleet.value} />
          </>
        ) : (
          <ClusterPage summary={current.value} />
        )}
      </main>
    </>
  );
}

function TopBar() {
  const clusters = fleet.value?.clusters ?? [];
  return (
    <header class="top">
      <a class="brand" href={address(undefined)} aria-label="oxherd, all clusters">
        <img src="/icon.svg" alt="" width="24" height="24" /> oxherd
      </a>
      <nav aria-label="Clusters">
        {clusters.length > 1 &&
          clusters.map(({ id, name }) => (
            <a key={id} href={address(id)} aria-current={id === place.value.cluster ? 'page' : undefined}>
              {name}
            </a>
          ))}
      </nav>
      <span class="end">
        {current.value?.lab && <span class="tag lab">lab</span>}
        <span class="tag">{mayWrite.value ? 'may apply' : 'read-only'}</span>
        <Status level={connected.value ? 'ok' : 'unknown'}>{connected.value ? 'live' : 'connecting'}</Status>
      </span>
    </header>
  );
}

function ClusterPage({ summary }: { readonly summary: ClusterSummary }) {
  return (
    <>
      <div class="title">
        <h1 tabIndex={-1}>{summary.name}</h1>
        <p class="soft">
          {summary.versions ?? summary.config}
          {summary.at !== undefined && `, read at ${clockTime(summary.at)}`}
        </p>
      </div>
      <Facts summary={summary} />
      <nav class="pages" aria-label="Pages">
        {PAGES.map(([name, title]) => (
          <a
            key={name}
            href={address(summary.id, name)}
            aria-current={name === place.value.page ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {summary.error && <Failure error={summary.error} />}
      <Page summary={summary} />
    </>
  );
}

/** The line that is looked at first: API and quorum, drift, lock, certificates. */
function Facts({ summary }: { readonly summary: ClusterSummary }) {
  const { quorum, certificateDays, lock } = summary;
  const health = healthOf(summary);
  const sync = syncOf(summary);
  const facts: [string, Level, string][] = [['Health', health.level, health.text]];
  if (quorum) {
    const { members, healthy, margin } = quorum;
    const level = margin < 0 ? 'failed' : healthy < members ? 'note' : 'ok';
    const words = margin < 0 ? 'no quorum' : `can lose ${margin}`;
    facts.push(['etcd', level, `${healthy} of ${members}, ${words}`]);
  }
  facts.push(['Config', sync.level, sync.text]);
  facts.push(['Lock', lock === undefined ? 'ok' : 'busy', lock === undefined ? 'free' : 'held by a run']);
  if (certificateDays !== undefined)
    facts.push(['Certificates', certificateDays < 30 ? 'note' : 'ok', `${certificateDays} days`]);
  return (
    <dl class="tiles">
      {facts.map(([name, level, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Status level={level}>{text}</Status>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Page({ summary }: { readonly summary: ClusterSummary }) {
  const { id, name, state } = summary;
  if (state === 'failed') return null;
  if (!view.value) return <Loading what={name} />;
  switch (place.value.page) {
    case 'map':
      return <MapPage view={view.value} />;
    case 'plan':
      return <PlanPage id={id} />;
    case 'run':
      return <RunPage id={id} />;
    case 'health':
      return <HealthPage view={view.value} />;
    case 'volumes':
      return <VolumesPage />;
    case 'upgrade':
      return <UpgradePage />;
    case 'capacity':
      return <CapacityPage id={id} />;
    case 'history':
      return <HistoryPage id={id} />;
    case 'rehearsal':
      return <RehearsalPage id={id} />;
  }
}

/** Pictures bring their rules along; a sheet made by a script is not inline style. */
const rules = new CSSStyleSheet();
rules.replaceSync(PICTURE_RULES);
document.adoptedStyleSheets = [rules];

const root = document.getElementById('app');
if (root) {
  keepFocus();
  render(<App />, root);
  void start();
}
