"""Known laws of the bootstrap: its error, its quantiles, and other ways to the same numbers."""

import tracemalloc

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose

from evalframe.stats import exact, hierarchy, saddlepoint
from evalframe.stats.draws import in_blocks
from evalframe.stats.resample import bootstrap_interval
from evalframe.stats.statistic import MEAN, Kind, build

MEDIAN = Kind("quantile", "median", 0.5)
RATIO = Kind("ratio", "ratio(points)")


def interval(values, method="percentile", kind=MEAN, cluster=None, n_boot=10_000, **given):
    arms = [np.atleast_2d(np.asarray(values, dtype=float))]
    level, seed = given.pop("level", 0.95), given.pop("seed", 0)
    statistic = build(kind, arms, cluster)
    return bootstrap_interval(statistic, method, n_boot, level, np.random.default_rng(seed))


@pytest.mark.parametrize("n_boot", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("n", [20, 300])
def test_the_standard_error_does_not_shrink_with_the_number_of_resamples(n, n_boot):
    values = np.random.default_rng(n).lognormal(size=n)
    found = interval(values, n_boot=n_boot)
    expected = np.sqrt((n - 1) / n) * values.std(ddof=1) / np.sqrt(n)
    # A standard deviation of B numbers has an error of about 1/sqrt(2 B); this is 5 of them.
    assert_allclose(found.se, expected, rtol=5 * np.sqrt(0.6 / n_boot))
    assert abs(found.bias) < 5 * expected / np.sqrt(n_boot)


def test_ten_right_of_twenty_u030():
    found = interval([1, 0] * 10, "exact")
    assert_allclose(found.se, 0.1118034, atol=1e-7)
    assert_allclose(interval([1, 1, 0], "exact").se, np.sqrt(2 / 27), rtol=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("right", "n"), [(1, 5), (13, 25), (24, 25), (90, 100), (700, 1_000)])
def test_limits_of_right_and_wrong_are_binomial_quantiles(right, n, level):
    values = np.repeat([1.0, 0.0], [right, n - right])
    law = scipy.stats.binom(n, right / n)
    expected = law.ppf([(1 - level) / 2, (1 + level) / 2]) / n
    found = interval(values, "exact", level=level)
    assert_allclose([found.low, found.high], expected, atol=1e-12)
    # Random resamples have a quantile within 5 Monte Carlo errors of the level.
    found = interval(values, level=level, n_boot=40_000)
    near = 5 * np.sqrt((1 - level**2) / 4 / 40_000)
    for limit, share in ((found.low, (1 - level) / 2), (found.high, (1 + level) / 2)):
        assert law.ppf(max(share - near, 1e-12)) <= limit * n + 1e-9
        assert limit * n - 1e-9 <= law.ppf(min(share + near, 1 - 1e-12))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("law", ["normal", "gamma", "uniform"])
def test_saddlepoint_limits_are_near_the_exact_ones_of_ten_items(seed, law):
    rng = np.random.default_rng(seed)
    given = {"normal": (0, 1), "gamma": (2, 1), "uniform": (0, 1)}[law]
    values = getattr(rng, law)(*given, 10)
    found, known = (interval(values, method) for method in ("saddlepoint", "exact"))
    assert found.method == "saddlepoint"
    assert found.n_boot is None
    assert_allclose([found.low, found.high], [known.low, known.high], atol=0.01 * known.se)
    assert_allclose([found.se, found.bias], [known.se, known.bias], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_saddlepoint_limits_of_ten_clusters_are_near_the_exact_ones(seed):
    rng = np.random.default_rng(seed)
    rows = np.array([rng.gamma(8, 1, 10), rng.gamma(20, 1, 10)])
    found, known = (interval(rows, method, RATIO) for method in ("saddlepoint", "exact"))
    assert_allclose([found.low, found.high], [known.low, known.high], atol=0.01 * known.se)
    # Standard error and bias are those of an expansion.
    assert_allclose(found.se, known.se, rtol=0.05)
    assert abs(found.bias - known.bias) < 0.02 * known.se


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "ratio"])
def test_saddlepoint_limits_are_those_of_a_million_resamples(name):
    rng = np.random.default_rng(7)
    rows = rng.lognormal(size=(1, 1_000))
    if name == "ratio":
        rows = np.array([rows[0], rng.poisson(3, 1_000) + rows[0]])
    kind = MEAN if name == "mean" else RATIO
    found, drawn = (
        interval(rows, method, kind, n_boot=1_000_000) for method in ("saddlepoint", "percentile")
    )
    # An error of a quantile in the tail at 0.025: sqrt(.025 * .975 / B) over the normal density.
    error = np.sqrt(0.025 * 0.975 / 1e6) / scipy.stats.norm.pdf(1.96) * drawn.se
    assert_allclose([found.low, found.high], [drawn.low, drawn.high], atol=4 * error)


def test_a_saddlepoint_that_reaches_no_limit_gives_way_to_the_exact_law():
    found = interval([0.0, 1.0], "saddlepoint")
    assert (found.method, found.low, found.high) == ("exact", 0, 1)
    assert "exact" in found.note


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized", "saddlepoint"])
def test_clusters_of_one_equal_items(method):
    values = np.random.default_rng(1).gamma(2, 1, 30)
    alone = interval(values, method)
    assert interval(values, method, cluster=np.random.default_rng(2).permutation(30)) == alone


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize(("kind", "other"), [(MEAN, np.mean), (MEDIAN, np.median)])
def test_limits_agree_with_scipys(method, kind, other):
    values = np.random.default_rng(3).gamma(2, 1, 41)
    found = interval(values, method.lower(), kind, n_boot=40_000)
    theirs = scipy.stats.bootstrap(
        (values,), other, n_resamples=40_000, method=method, random_state=0, batch=2_000
    )
    near = 0.12 * found.se
    assert_allclose([found.low, found.high], list(theirs.confidence_interval), atol=near)
    assert_allclose(found.se, theirs.standard_error, rtol=0.03)


def test_bca_limits_of_a_skewed_sample_are_not_symmetric():
    values = np.random.default_rng(5).lognormal(size=60)
    plain, corrected = interval(values), interval(values, "bca")
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_a_quantile_drawn_by_ranks_has_the_exact_law():
    values = np.array([1.0, 2, 4, 8, 9, 16, 30, 31])
    for q in (0.0, 0.3, 0.5, 1.0):
        statistic = build(Kind("quantile", "q", q), [values[None]], None)
        draw, size = statistic.draw()
        found = in_blocks(draw, 50_000, size, np.random.default_rng(1))[:, 0]
        law, probability = exact.law(statistic)
        for point in np.unique(law):
            share = probability[law <= point + 1e-9].sum()
            near = 5 * np.sqrt(share * (1 - share) / 50_000) + 1e-12
            assert abs(np.mean(found <= point + 1e-9) - share) <= near


def test_studentized_limits_agree_with_a_plain_loop():
    values = np.random.default_rng(8).lognormal(size=25)
    found = interval(values, "studentized", n_boot=100_000)
    drawn = values[np.random.default_rng(9).integers(0, 25, (100_000, 25))]
    t = (drawn.mean(axis=1) - values.mean()) / (drawn.std(axis=1, ddof=1) / 5)
    error = values.std(ddof=1) / 5
    high, low = values.mean() - np.quantile(t, [0.025, 0.975]) * error
    assert_allclose([found.low, found.high], [low, high], atol=0.1 * error)


def test_studentized_limits_of_ratios_agree_with_a_plain_loop():
    rng = np.random.default_rng(8)
    rows = np.array([rng.gamma(2, 1, 30), rng.gamma(9, 1, 30)])

    def both(top, bottom):
        ratio = top.sum(-1) / bottom.sum(-1)
        rest = top - ratio[..., None] * bottom
        return ratio, np.sqrt((rest**2).sum(-1) * 30 / 29) / bottom.sum(-1)

    found = interval(rows, "studentized", RATIO, n_boot=100_000)
    drawn = rng.integers(0, 30, (100_000, 30))
    (ratio, error), (drawn_ratio, drawn_error) = both(*rows), both(rows[0][drawn], rows[1][drawn])
    t = (drawn_ratio - ratio) / drawn_error
    high, low = ratio - np.quantile(t, [0.025, 0.975]) * error
    assert_allclose([found.low, found.high], [low, high], atol=0.1 * error)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least"), [(15, 0.89), (100, 0.92)])
def test_studentized_limits_cover_the_mean_of_lognormal_costs(n, least):
    rng, runs = np.random.default_rng(n), 2_000
    truth, covered = np.exp(0.5), 0
    for _ in range(runs):
        found = interval(rng.lognormal(size=n), "studentized", n_boot=999)
        covered += found.low <= truth <= found.high
    # Two Monte Carlo errors of the coverage itself.
    error = np.sqrt(least * (1 - least) / runs)
    assert covered / runs > least - 2 * error


def test_nested_resamples_have_the_variance_of_their_levels():
    """With equal sizes the variance of the mean is known: it adds over levels."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 1, 1)) + rng.normal(size=(12, 5, 1)) + rng.normal(size=(12, 5, 3))
    item = np.repeat(np.arange(60), 3)
    nested = hierarchy.nest(values.reshape(1, -1), item, np.repeat(np.arange(12), 5))
    draw, size = hierarchy.draw(nested, MEAN, 1)
    found = in_blocks(draw, 20_000, size, np.random.default_rng(3))[:, 0]
    means = values.mean(axis=2)
    # Draws with replacement: between clusters, within clusters, within items.
    expected = (
        means.mean(axis=1).var() / 12
        + means.var(axis=1).mean() / 60
        + values.var(axis=2).mean() / 180
    )
    assert_allclose(found.var(), expected, rtol=5 * np.sqrt(2 / 20_000))
    assert_allclose(found.mean(), values.mean(), atol=5 * np.sqrt(expected / 20_000))


def test_nested_resamples_of_unequal_sizes_keep_what_belongs_together():
    """Clusters whose items and seeds are all alike leave the draws of clusters alone."""
    sizes = {1.0: (2, 1), 5.0: (1, 4), 7.0: (4, 2)}
    value, item, cluster = [], [], []
    for one, (n_items, n_seeds) in sizes.items():
        for _ in range(n_items):
            value += [one] * n_seeds
            item += [len(cluster)] * n_seeds
            cluster.append(list(sizes).index(one))
    nested = hierarchy.nest(np.array([value]), np.array(item), np.array(cluster))
    draw, size = hierarchy.draw(nested, MEAN, 1)
    found = in_blocks(draw, 20_000, size, np.random.default_rng(0))[:, 0]
    values = np.array([list(sizes)[one] for one in cluster])
    law, probability = exact.law(build(MEAN, [values[None]], np.array(cluster)))
    for point in law:
        share = probability[law <= point + 1e-9].sum()
        near = 5 * np.sqrt(max(share * (1 - share), 0) / 20_000) + 1e-9
        assert abs(np.mean(found <= point + 1e-9) - share) <= near


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized", "saddlepoint"])
@pytest.mark.parametrize("value", [0.1, 1 / 3, -50.0])
def test_equal_values_have_limits_of_no_width_by_every_method(method, value):
    found = interval([value] * 7, method)
    assert (found.low, found.high, found.se, found.bias) == (value, value, 0, 0)


def test_a_ratio_that_is_not_defined_in_some_resamples_counts_them():
    found = interval([[1.0, 2, 3], [0, 0, 1]], kind=RATIO, n_boot=20_000)
    # No draw of the third unit: (2/3)^3.
    assert abs(found.n_failed / 20_000 - 8 / 27) < 5 * np.sqrt(8 / 27 * 19 / 27 / 20_000)
    assert "not defined" in found.note
    assert found.estimate == 6
    assert np.isfinite([found.se, found.low, found.high]).all()


def test_too_many_resamples_without_spread_give_way_to_percentile_limits():
    found = interval([1.0] * 19 + [0.0], "studentized")
    assert found.method == "percentile"
    assert "studentized limits are not defined" in found.note


def test_bca_gives_way_where_all_resamples_lie_on_one_side():
    highest = Kind("custom", "span", function=lambda x: float(len(np.unique(x))))
    found = interval(np.arange(30.0), "bca", highest, n_boot=500)
    assert found.method == "percentile"
    assert "bca limits are not defined" in found.note


def test_more_resamples_than_can_be_counted_are_drawn():
    found = interval(np.random.default_rng(0).random(40), "exact", n_boot=500)
    assert (found.method, found.n_boot) == ("percentile", 500)
    assert "1,000,000" in found.note


@pytest.mark.parametrize(
    ("n", "n_boot", "method", "kind"),
    [
        (300_000, 40, "percentile", MEAN),
        (300_000, 40, "studentized", MEAN),
        (300_000, 2, "bca", MEAN),
        (300_000, 2, "saddlepoint", MEAN),
        (300_000, 20, "percentile", Kind("trimmed", "trimmed(0.1)", 0.1)),
        (300_000, 1_000_000, "percentile", MEDIAN),
        (1_000, 20_000, "percentile", Kind("custom", "mean", function=np.mean)),
    ],
)
def test_memory_is_bounded(n, n_boot, method, kind):
    values = np.random.default_rng(0).random((1, n))
    tracemalloc.start()
    bootstrap_interval(build(kind, [values], None), method, n_boot, 0.95, np.random.default_rng(0))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 300e6


@pytest.mark.slow
def test_memory_is_bounded_for_the_most_resamples_of_right_and_wrong():
    values = np.repeat([0.0, 1.0], 500_000)[None]
    tracemalloc.start()
    statistic = build(MEAN, [values], None)
    bootstrap_interval(statistic, "percentile", 10_000_000, 0.95, np.random.default_rng(0))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 300e6


def test_saddlepoint_limits_widen_with_the_level():
    statistic = build(MEAN, [np.random.default_rng(1).gamma(2, 1, (1, 50))], None)
    found = [saddlepoint.limits(statistic, level) for level in (0.01, 0.5, 0.9, 0.999)]
    lows, highs = zip(*found, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
